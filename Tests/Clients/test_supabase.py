"""The supabase package from PyPI, unchanged, against a gateway that was started with no settings at all."""
import unittest

import supabase
from gateway import Gateway
from story import Story


class WithGateway(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        cls.gateway = Gateway()
        cls.gateway.start()
        cls.keys = cls.gateway.keys()

    @classmethod
    def tearDownClass(cls):
        status = cls.gateway.stop()
        cls.gateway.remove()
        assert status == 0, f"SIGTERM ended the gateway with {status}"

    def story(self) -> Story:
        return Story(self, self.gateway.url, self.keys, self.make_client)


class SyncClient(WithGateway):
    make_client = staticmethod(supabase.create_client)

    async def test_an_account_from_sign_up_to_sign_out(self):
        await self.story().account()

    async def test_the_admin_api(self):
        await self.story().admin()


class AsyncClient(WithGateway):
    make_client = staticmethod(supabase.acreate_client)

    async def test_an_account_from_sign_up_to_sign_out(self):
        await self.story().account()

    async def test_the_admin_api(self):
        await self.story().admin()


if __name__ == "__main__":
    unittest.main()
