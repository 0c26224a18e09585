"""Tokens of every known shape, made up."""

from __future__ import annotations

BODY = "aB3dE6gH9jK2mN5pQ8sT1vW4xY7z"
HEX = "0123456789abcdef"
# What follows the beginnings, as their makers write it; put together here, so that no scanner of
# repositories takes them for real.
BODIES = {
    "ghp_": BODY + "01234567",
    "github_pat_": f"11{BODY[:20]}_{BODY}{BODY}",
    "glpat-": BODY[:20],
    "AKIA": "IOSFODNN7EXAMPLE",
    "ASIA": "IOSFODNN7EXAMPLE",
    "AROA": "IOSFODNN7EXAMPLE",
    "sk-": f"proj-{BODY}{BODY}",
    "sk_live_": BODY[:24],
    "whsec_": BODY[:24] + BODY,
    "xoxb-": f"123456789012-123456789012-{BODY[:24]}",
    "xapp-": f"1-A012-123-{HEX}{HEX}",
    "hooks.slack.com/": f"services/T01234567/B01234567/{BODY[:24]}",
    "discord.com/api/webhooks/": f"123456789012345678/{BODY}{BODY}{BODY[:12]}",
    "webhook.office.com/": f"webhookb2/{HEX}-{HEX}@{HEX}-{HEX}/IncomingWebhook/{HEX}{HEX}",
    "AIza": BODY + BODY[:7],
    "ya29.": BODY + BODY,
    "GOCSPX-": BODY,
    "npm_": BODY + BODY[:8],
    "pypi-": f"AgEIcHlwaS5vcmc{BODY}{BODY}",
    "rubygems_": HEX * 3,
    "hf_": BODY + BODY[:6],
    "dop_v1_": HEX * 4,
    "SG.": f"{BODY[:22]}.{BODY}{BODY[:15]}",
    "eyJ": f"hbGciOiJIUzI1NiJ9.eyJ{BODY}.{BODY}{BODY[:15]}",
    "AGE-SECRET-KEY-": ("1" + "QPZRY9X8") * 6,
    "dckr_pat_": BODY[:27],
    "lin_api_": BODY + BODY[:12],
    "sq0atp-": BODY[:22],
    "shpat_": HEX * 2,
    "hvs.": BODY,
    "dapi": HEX * 2,
    "figd_": BODY + BODY,
    "tskey-": f"auth-{BODY}",
    "glsa_": BODY + "_0a",
    "glc_": BODY + BODY,
    "gsk_": BODY + BODY,
    "xai-": BODY * 3,
    "r8_": BODY + BODY[:9],
    "ntn_": BODY + BODY,
    "sbp_": HEX * 2 + HEX[:8],
    "ATATT3": BODY + BODY,
    "sntrys_": BODY + BODY,
    "pul-": HEX * 2 + HEX[:8],
    "AccountKey=": f"{BODY}{BODY}{BODY}aB==",
    "gho_": BODY + "01234567",
}
TOKENS = [begin + body for begin, body in BODIES.items()]
