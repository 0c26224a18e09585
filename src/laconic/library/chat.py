"""A small client for language models: OpenAI-compatible endpoints and Anthropic's.

One request, one text. No redirect is followed, because the key would be sent along; an answer of
more than a megabyte is an error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from laconic.errors import LaconicError
from laconic.settings.load import process_environment

# (system, user, model, options) -> what the model says
Complete = Callable[[str, str, str, Mapping[str, Any]], str]
_MOST = 1 << 20
_MOST_SHOWN = 200
_OWN_OPTIONS = frozenset(("timeout", "base_url", "api_key"))


class ChatError(LaconicError):
    """The model could not be asked, or did not answer."""


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a provider is, how it is spoken to, and the variable that its key is in."""

    url: str
    key: str = ""
    wire: str = "openai"


PROVIDERS = {
    "anthropic": Provider(
        "https://api.anthropic.com/v1/messages", "ANTHROPIC_API_KEY", "anthropic"
    ),
    "deepseek": Provider("https://api.deepseek.com/chat/completions", "DEEPSEEK_API_KEY"),
    "gemini": Provider(
        "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions", "GEMINI_API_KEY"
    ),
    "groq": Provider("https://api.groq.com/openai/v1/chat/completions", "GROQ_API_KEY"),
    "mistral": Provider("https://api.mistral.ai/v1/chat/completions", "MISTRAL_API_KEY"),
    "ollama": Provider("http://127.0.0.1:11434/v1/chat/completions"),
    "openai": Provider("https://api.openai.com/v1/chat/completions", "OPENAI_API_KEY"),
    "openrouter": Provider("https://openrouter.ai/api/v1/chat/completions", "OPENROUTER_API_KEY"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HTTPChat:
    """Asks a model by HTTP. url: the whole address of the endpoint, if it is not the provider's."""

    provider: str = "openai"
    url: str = ""
    api_key: str = field(default="", repr=False)
    timeout: float = 10.0
    wire: str = ""

    def __post_init__(self) -> None:
        if self.provider not in PROVIDERS and not self.url:
            known = ", ".join(PROVIDERS)
            raise ChatError(
                f"provider {self.provider!r} is not known; known: {known}; or give a url"
            )

    def __call__(self, system: str, user: str, model: str, options: Mapping[str, Any]) -> str:
        known = PROVIDERS.get(self.provider, Provider(""))
        wire = self.wire or known.wire
        url = str(options.get("base_url") or self.url or known.url)
        key = str(
            options.get("api_key") or self.api_key or process_environment().get(known.key, "")
        )
        more = {name: value for name, value in options.items() if name not in _OWN_OPTIONS}
        body, headers = (_to_anthropic if wire == "anthropic" else _to_openai)(
            system, user, {**more, "model": model}, key
        )
        timeout = float(options.get("timeout", self.timeout))
        answer = _post(url, body, headers, timeout)
        try:
            return _from_anthropic(answer) if wire == "anthropic" else _from_openai(answer)
        except (KeyError, IndexError, TypeError) as error:
            shown = json.dumps(answer)[:_MOST_SHOWN]
            raise ChatError(f"the endpoint gave an answer without a text: {shown}") from error


def _to_openai(
    system: str, user: str, options: Mapping[str, Any], key: str
) -> tuple[dict[str, Any], dict[str, str]]:
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    return {**options, "messages": messages}, {"Authorization": f"Bearer {key}"} if key else {}


def _from_openai(answer: Any) -> str:
    return str(answer["choices"][0]["message"]["content"] or "")


def _to_anthropic(
    system: str, user: str, options: Mapping[str, Any], key: str
) -> tuple[dict[str, Any], dict[str, str]]:
    messages = [{"role": "user", "content": user}]
    body = {"max_tokens": 512, **options, "system": system, "messages": messages}
    return body, {"x-api-key": key, "anthropic-version": "2023-06-01"}


def _from_anthropic(answer: Any) -> str:
    return "".join(part["text"] for part in answer["content"] if part["type"] == "text")


def _post(url: str, body: Mapping[str, Any], headers: Mapping[str, str], timeout: float) -> Any:
    import urllib.error  # noqa: PLC0415 - slow, and only for those who use a classifier
    import urllib.request  # noqa: PLC0415

    if not url.startswith(("https://", "http://")):
        raise ChatError(f"{url!r} is not an address of http or https")

    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_args: Any, **_more: Any) -> None:
            return None

    opener = urllib.request.build_opener(Stay)
    data = json.dumps(body).encode()
    request = urllib.request.Request(  # noqa: S310 - checked above
        url, data, {"Content-Type": "application/json", **headers}
    )
    try:
        with opener.open(request, timeout=timeout) as response:
            text = response.read(_MOST + 1)
    except urllib.error.HTTPError as error:
        said = error.read(_MOST_SHOWN).decode("utf-8", "replace")
        raise ChatError(f"the endpoint answered {error.code}: {said}") from error
    except (OSError, ValueError) as error:
        raise ChatError(f"the endpoint cannot be reached: {error}") from error
    if len(text) > _MOST:
        raise ChatError("the endpoint's answer is too long")
    try:
        return json.loads(text)
    except ValueError as error:
        raise ChatError("the endpoint's answer is not JSON") from error


def pydantic_ai(**settings: Any) -> Complete:
    """Ask through pydantic-ai-slim, which knows Bedrock, Vertex, Azure and others.

    The model is named as there: `anthropic:claude-haiku-4-5`.
    """

    def complete(system: str, user: str, model: str, options: Mapping[str, Any]) -> str:
        from pydantic_ai import ModelRequest, SystemPromptPart, UserPromptPart  # noqa: PLC0415
        from pydantic_ai.direct import model_request_sync  # noqa: PLC0415

        asked = ModelRequest([SystemPromptPart(system), UserPromptPart(user)])
        answer = model_request_sync(model, [asked], model_settings={**settings, **options})
        return "".join(getattr(part, "content", "") for part in answer.parts)

    return complete
