CREATE TABLE `project` (
          `id` text PRIMARY KEY,
          `worktree` text NOT NULL,
          `vcs` text,
          `name` text,
          `icon_url` text,
          `icon_url_override` text,
          `icon_color` text,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `time_initialized` integer,
          `sandboxes` text NOT NULL,
          `commands` text
        );
CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
CREATE TABLE `session` (
          `id` text PRIMARY KEY,
          `project_id` text NOT NULL,
          `workspace_id` text,
          `parent_id` text,
          `slug` text NOT NULL,
          `directory` text NOT NULL,
          `path` text,
          `title` text NOT NULL,
          `version` text NOT NULL,
          `share_url` text,
          `summary_additions` integer,
          `summary_deletions` integer,
          `summary_files` integer,
          `summary_diffs` text,
          `metadata` text,
          `cost` real DEFAULT 0 NOT NULL,
          `tokens_input` integer DEFAULT 0 NOT NULL,
          `tokens_output` integer DEFAULT 0 NOT NULL,
          `tokens_reasoning` integer DEFAULT 0 NOT NULL,
          `tokens_cache_read` integer DEFAULT 0 NOT NULL,
          `tokens_cache_write` integer DEFAULT 0 NOT NULL,
          `revert` text,
          `permission` text,
          `agent` text,
          `model` text,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `time_compacting` integer,
          `time_archived` integer,
          CONSTRAINT `fk_session_project_id_project_id_fk` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE
        );
INSERT INTO session (id, project_id, workspace_id, parent_id, slug, directory, path, title, version, share_url, summary_additions, summary_deletions, summary_files, summary_diffs, metadata, cost, tokens_input, tokens_output, tokens_reasoning, tokens_cache_read, tokens_cache_write, revert, permission, agent, model, time_created, time_updated, time_compacting, time_archived) VALUES ('ses_e1f03be20ffewdWmV7UccY6abE', 'global', NULL, NULL, 'kind-knight', '/home/dev/project', 'home/dev/project', 'done', '1.18.33', NULL, 0, 0, 0, NULL, NULL, 0.0, 30300, 360, 0, 72000, 0, NULL, '[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]', 'build', '{"id":"scripted","providerID":"scripted","variant":"default"}', 1794775990768, 1794776011087, NULL, NULL);
INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES ('msg_1e0fc498a001Wub3kjwSseJies', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794775992714, 1794776010306, '{"role":"user","time":{"created":1794775992714},"agent":"build","model":{"providerID":"scripted","modelID":"scripted"},"summary":{"diffs":[]}}');
INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES ('msg_1e0fc5e320017rdWeVzsKXAtT7', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794775998002, 1794776005977, '{"parentID":"msg_1e0fc498a001Wub3kjwSseJies","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/project","root":"/"},"cost":0,"tokens":{"total":14860,"input":2800,"output":60,"reasoning":0,"cache":{"write":0,"read":12000}},"modelID":"scripted","providerID":"scripted","time":{"created":1794775998002,"completed":1794776005972},"finish":"tool-calls"}');
INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES ('msg_1e0fc7da0001HhaokC0T5DsaFi', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776006048, 1794776007106, '{"parentID":"msg_1e0fc498a001Wub3kjwSseJies","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/project","root":"/"},"cost":0,"tokens":{"total":15760,"input":3700,"output":60,"reasoning":0,"cache":{"write":0,"read":12000}},"modelID":"scripted","providerID":"scripted","time":{"created":1794776006048,"completed":1794776007104},"finish":"tool-calls"}');
INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES ('msg_1e0fc81fa0018nP3kKKIPgsnpJ', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776007162, 1794776008444, '{"parentID":"msg_1e0fc498a001Wub3kjwSseJies","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/project","root":"/"},"cost":0,"tokens":{"total":16660,"input":4600,"output":60,"reasoning":0,"cache":{"write":0,"read":12000}},"modelID":"scripted","providerID":"scripted","time":{"created":1794776007162,"completed":1794776008418},"finish":"tool-calls"}');
INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES ('msg_1e0fc871e001s1DscIOS516z1R', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776008478, 1794776009305, '{"parentID":"msg_1e0fc498a001Wub3kjwSseJies","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/project","root":"/"},"cost":0,"tokens":{"total":17560,"input":5500,"output":60,"reasoning":0,"cache":{"write":0,"read":12000}},"modelID":"scripted","providerID":"scripted","time":{"created":1794776008478,"completed":1794776009293},"finish":"tool-calls"}');
INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES ('msg_1e0fc8a77001HdBDY6OyNiu0Du', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776009335, 1794776010137, '{"parentID":"msg_1e0fc498a001Wub3kjwSseJies","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/project","root":"/"},"cost":0,"tokens":{"total":18460,"input":6400,"output":60,"reasoning":0,"cache":{"write":0,"read":12000}},"modelID":"scripted","providerID":"scripted","time":{"created":1794776009335,"completed":1794776010107},"finish":"tool-calls"}');
INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES ('msg_1e0fc8d9d0018fDTO4d7NkOuAz', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776010141, 1794776010773, '{"parentID":"msg_1e0fc498a001Wub3kjwSseJies","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/project","root":"/"},"cost":0,"tokens":{"total":19360,"input":7300,"output":60,"reasoning":0,"cache":{"write":0,"read":12000}},"modelID":"scripted","providerID":"scripted","time":{"created":1794776010141,"completed":1794776010761},"finish":"stop"}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc49f40019HTrWOHDzklHa9', 'msg_1e0fc498a001Wub3kjwSseJies', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794775997802, 1794775997804, '{"type":"text","text":"go"}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc6684001bh8SDk6DDjo6qI', 'msg_1e0fc5e320017rdWeVzsKXAtT7', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776000133, 1794776000151, '{"type":"step-start"}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc66a9001kk7pYbqpMlhBl6', 'msg_1e0fc5e320017rdWeVzsKXAtT7', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776000170, 1794776005800, '{"type":"tool","tool":"bash","callID":"call_0","state":{"status":"completed","input":{"command":"git init -q . && touch file-{001..090}.txt","description":"what the test wants"},"output":"(no output)","metadata":{"output":"(no output)","exit":0,"truncated":false},"title":"git init -q . && touch file-{001..090}.txt","time":{"start":1794776000290,"end":1794776005634}}}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc7cda001P7c6KAXAH2Mcn6', 'msg_1e0fc5e320017rdWeVzsKXAtT7', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776005850, 1794776005865, '{"reason":"tool-calls","type":"step-finish","tokens":{"total":14860,"input":2800,"output":60,"reasoning":0,"cache":{"write":0,"read":12000}},"cost":0}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc7f8f001I29KM5KX9Mqpxn', 'msg_1e0fc7da0001HhaokC0T5DsaFi', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776006543, 1794776006577, '{"type":"step-start"}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc7fc1001oe4NfTxAHPBYMl', 'msg_1e0fc7da0001HhaokC0T5DsaFi', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776006593, 1794776007021, '{"type":"tool","tool":"bash","callID":"call_1","state":{"status":"completed","input":{"command":"git status","description":"what the test wants"},"output":"On branch master\n\nNo commits yet\n\nUntracked files:\n  (use \"git add <file>...\" to include in what will be committed)\n\tfile-001.txt\n\tfile-002.txt\n\tfile-003.txt\n\tfile-004.txt\n\tfile-005.txt\n\tfile-006.txt\n\tfile-007.txt\n\tfile-008.txt\n\tfile-009.txt\n\tfile-010.txt\n\tfile-011.txt\n\tfile-012.txt\n\tfile-013.txt\n\tfile-014.txt\n\tfile-015.txt\n\tfile-016.txt\n\tfile-017.txt\n\tfile-018.txt\n\tfile-019.txt\n\tfile-020.txt\n\tfile-021.txt\n\tfile-022.txt\n\tfile-023.txt\n\tfile-024.txt\n\tfile-025.txt\n\tfile-026.txt\n\tfile-027.txt\n\tfile-028.txt\n\tfile-029.txt\n\tfile-030.txt\n\tfile-031.txt\n\tfile-032.txt\n\tfile-033.txt\n\tfile-034.txt\n\tfile-035.txt\n\tfile-036.txt\n\tfile-037.txt\n\tfile-038.txt\n\tfile-039.txt\n\tfile-040.txt\n\tfile-041.txt\n\tfile-042.txt\n\tfile-043.txt\n\tfile-044.txt\n\tfile-045.txt\n\tfile-046.txt\n\tfile-047.txt\n\tfile-048.txt\n\tfile-049.txt\n\tfile-050.txt\n\tfile-051.txt\n\tfile-052.txt\n\tfile-053.txt\n\tfile-054.txt\n\tfile-055.txt\n\tfile-056.txt\n\tfile-057.txt\n\tfile-058.txt\n\tfile-059.txt\n\tfile-060.txt\n\tfile-061.txt\n\tfile-062.txt\n\tfile-063.txt\n\tfile-064.txt\n\tfile-065.txt\n\tfile-066.txt\n\tfile-067.txt\n\tfile-068.txt\n\tfile-069.txt\n\tfile-070.txt\n\tfile-071.txt\n\tfile-072.txt\n\tfile-073.txt\n\tfile-074.txt\n\tfile-075.txt\n\tfile-076.txt\n\tfile-077.txt\n\tfile-078.txt\n\tfile-079.txt\n\tfile-080.txt\n\tfile-081.txt\n\tfile-082.txt\n\tfile-083.txt\n\tfile-084.txt\n\tfile-085.txt\n\tfile-086.txt\n\tfile-087.txt\n\tfile-088.txt\n\tfile-089.txt\n\tfile-090.txt\n\nnothing added to commit but untracked files present (use \"git add\" to track)\n","metadata":{"output":"On branch master\n\nNo commits yet\n\nUntracked files:\n  (use \"git add <file>...\" to include in what will be committed)\n\tfile-001.txt\n\tfile-002.txt\n\tfile-003.txt\n\tfile-004.txt\n\tfile-005.txt\n\tfile-006.txt\n\tfile-007.txt\n\tfile-008.txt\n\tfile-009.txt\n\tfile-010.txt\n\tfile-011.txt\n\tfile-012.txt\n\tfile-013.txt\n\tfile-014.txt\n\tfile-015.txt\n\tfile-016.txt\n\tfile-017.txt\n\tfile-018.txt\n\tfile-019.txt\n\tfile-020.txt\n\tfile-021.txt\n\tfile-022.txt\n\tfile-023.txt\n\tfile-024.txt\n\tfile-025.txt\n\tfile-026.txt\n\tfile-027.txt\n\tfile-028.txt\n\tfile-029.txt\n\tfile-030.txt\n\tfile-031.txt\n\tfile-032.txt\n\tfile-033.txt\n\tfile-034.txt\n\tfile-035.txt\n\tfile-036.txt\n\tfile-037.txt\n\tfile-038.txt\n\tfile-039.txt\n\tfile-040.txt\n\tfile-041.txt\n\tfile-042.txt\n\tfile-043.txt\n\tfile-044.txt\n\tfile-045.txt\n\tfile-046.txt\n\tfile-047.txt\n\tfile-048.txt\n\tfile-049.txt\n\tfile-050.txt\n\tfile-051.txt\n\tfile-052.txt\n\tfile-053.txt\n\tfile-054.txt\n\tfile-055.txt\n\tfile-056.txt\n\tfile-057.txt\n\tfile-058.txt\n\tfile-059.txt\n\tfile-060.txt\n\tfile-061.txt\n\tfile-062.txt\n\tfile-063.txt\n\tfile-064.txt\n\tfile-065.txt\n\tfile-066.txt\n\tfile-067.txt\n\tfile-068.txt\n\tfile-069.txt\n\tfile-070.txt\n\tfile-071.txt\n\tfile-072.txt\n\tfile-073.txt\n\tfile-074.txt\n\tfile-075.txt\n\tfile-076.txt\n\tfile-077.txt\n\tfile-078.txt\n\tfile-079.txt\n\tfile-080.txt\n\tfile-081.txt\n\tfile-082.txt\n\tfile-083.txt\n\tfile-084.txt\n\tfile-085.txt\n\tfile-086.txt\n\tfile-087.txt\n\tfile-088.txt\n\tfile-089.txt\n\tfile-090.txt\n\nnothing added to commit but untracked files present (use \"git add\" to track)\n","exit":0,"truncated":false},"title":"git status","time":{"start":1794776006663,"end":1794776007002}}}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc8182001bk0HokcN4yYQFw', 'msg_1e0fc7da0001HhaokC0T5DsaFi', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776007042, 1794776007058, '{"reason":"tool-calls","type":"step-finish","tokens":{"total":15760,"input":3700,"output":60,"reasoning":0,"cache":{"write":0,"read":12000}},"cost":0}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc83f3001IZJx5LX36KtJ4s', 'msg_1e0fc81fa0018nP3kKKIPgsnpJ', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776007667, 1794776007701, '{"type":"step-start"}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc84350016SIpIv1TOpdvIf', 'msg_1e0fc81fa0018nP3kKKIPgsnpJ', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776007733, 1794776008295, '{"type":"tool","tool":"bash","callID":"call_2","state":{"status":"completed","input":{"command":"ls /nonexistent","description":"what the test wants"},"output":"ls: cannot access ''/nonexistent'': No such file or directory\n","metadata":{"output":"ls: cannot access ''/nonexistent'': No such file or directory\n","exit":2,"truncated":false},"title":"ls /nonexistent","time":{"start":1794776007895,"end":1794776008292}}}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc867e0013on070A2zyLOxs', 'msg_1e0fc81fa0018nP3kKKIPgsnpJ', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776008318, 1794776008320, '{"reason":"tool-calls","type":"step-finish","tokens":{"total":16660,"input":4600,"output":60,"reasoning":0,"cache":{"write":0,"read":12000}},"cost":0}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc8865001hy23Qe47REosrU', 'msg_1e0fc871e001s1DscIOS516z1R', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776008805, 1794776008807, '{"type":"step-start"}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc8891001VCHJnR0AnTZCIH', 'msg_1e0fc871e001s1DscIOS516z1R', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776008849, 1794776009194, '{"type":"tool","tool":"bash","callID":"call_3","state":{"status":"completed","input":{"command":"cat .env; echo done","description":"what the test wants"},"output":"cat: .env: No such file or directory\ndone\n","metadata":{"output":"cat: .env: No such file or directory\ndone\n","exit":0,"truncated":false},"title":"cat .env; echo done","time":{"start":1794776008963,"end":1794776009184}}}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc8a02001jHtayBdlaJimr7', 'msg_1e0fc871e001s1DscIOS516z1R', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776009218, 1794776009230, '{"reason":"tool-calls","type":"step-finish","tokens":{"total":17560,"input":5500,"output":60,"reasoning":0,"cache":{"write":0,"read":12000}},"cost":0}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc8bae001kEvded0SkFh4G9', 'msg_1e0fc8a77001HdBDY6OyNiu0Du', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776009646, 1794776009648, '{"type":"step-start"}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc8bcd001VDGuLXPi07iv16', 'msg_1e0fc8a77001HdBDY6OyNiu0Du', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776009678, 1794776010019, '{"type":"tool","tool":"bash","callID":"call_4","state":{"status":"completed","input":{"command":"git push origin main","description":"what the test wants"},"output":"error: src refspec main does not match any\nerror: failed to push some refs to ''origin''\n","metadata":{"output":"error: src refspec main does not match any\nerror: failed to push some refs to ''origin''\n","exit":1,"truncated":false},"title":"git push origin main","time":{"start":1794776009783,"end":1794776010017}}}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc8d38001rsij00oKF97CGZ', 'msg_1e0fc8a77001HdBDY6OyNiu0Du', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776010040, 1794776010042, '{"reason":"tool-calls","type":"step-finish","tokens":{"total":18460,"input":6400,"output":60,"reasoning":0,"cache":{"write":0,"read":12000}},"cost":0}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc8f21001xF5hOX0VZa31D9', 'msg_1e0fc8d9d0018fDTO4d7NkOuAz', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776010529, 1794776010531, '{"type":"step-start"}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc8f3d001o4wNm0CiOLmdPG', 'msg_1e0fc8d9d0018fDTO4d7NkOuAz', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776010558, 1794776010642, '{"type":"text","text":"done","time":{"start":1794776010558,"end":1794776010603}}');
INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('prt_1e0fc8fb1001zeN1Xb2Z3Helko', 'msg_1e0fc8d9d0018fDTO4d7NkOuAz', 'ses_e1f03be20ffewdWmV7UccY6abE', 1794776010673, 1794776010675, '{"reason":"stop","type":"step-finish","tokens":{"total":19360,"input":7300,"output":60,"reasoning":0,"cache":{"write":0,"read":12000}},"cost":0}');
