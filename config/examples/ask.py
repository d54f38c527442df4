"""Asks by dropping a file, and takes by creating take/<task>: no owlpost command and no package needed.

The service must run. Usage: python3 ask.py [AIRLOCK]
"""

import json
import os
import pathlib
import sys
import time

home = pathlib.Path(os.environ.get("OWLPOST_HOME") or pathlib.Path.home() / ".owlpost")
airlock = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else home / "airlocks/default"
name = "q-py-022-cache-1"

# JSON is YAML, too.
question = {
    "task": "022-cache",
    "title": "May the cache be emptied?",
    "context": "`redis-cli FLUSHALL` takes 20 minutes of warm-up; `cache.py` reads stale keys.",
    "options": [
        {"key": "1", "label": "Empty it", "consequence": "20 minutes of slow pages", "recommended": True},
        {"key": "2", "label": "Leave it", "consequence": "Stale prices until 06:00"},
    ],
    "default": {"action": "skip_spec", "at": "8h"},
}
for folder in ("questions", "take"):
    (airlock / folder).mkdir(parents=True, exist_ok=True)
# Written under a name that begins with a dot and then renamed, so that it is never seen half-written. The name is the id.
draft = airlock / "questions" / f".{name}"
draft.write_text(json.dumps(question), encoding="utf-8")
draft.rename(airlock / "questions" / f"{name}.yaml")

answer = airlock / "answers" / f"{name}.yaml"
rejected = airlock / "questions" / f"{name}.rejected.yaml"
request = airlock / "take" / "022-cache"
while not answer.exists():  # a loop would go on with its other tasks here
    if rejected.exists():
        sys.exit(rejected.read_text(encoding="utf-8"))
    if 'state: "cancelled"' in (airlock / "questions" / f"{name}.yaml").read_text(encoding="utf-8").splitlines():
        sys.exit(f"{name} was cancelled: nobody will answer it")
    request.touch()
    while request.exists():
        time.sleep(0.2)
    time.sleep(0.2)
print(answer.read_text(encoding="utf-8"), end="")
