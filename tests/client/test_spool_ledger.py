"""The ledger of the spool in short. Long, with more of everything: scripts/test spool_ledger"""
import os
import random

from real_server import RealServer
from spool_ledger import Campaign


def test_ledger(tmp_path):
    seconds = float(os.environ.get("CAIRN_LEDGER_SECONDS", "6"))
    seed = int(os.environ.get("CAIRN_LEDGER_SEED", random.randrange(1 << 32)))
    print(f"CAIRN_LEDGER_SEED={seed}")
    server = RealServer()
    try:
        Campaign(server, tmp_path, processes=16 if seconds > 10 else 8, seconds=seconds, server_kills=max(1, int(seconds / 20)),
                 seed=seed).run()
    finally:
        server.close()
