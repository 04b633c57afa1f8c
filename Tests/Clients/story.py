"""The story of an account as an app lives it, told once for the sync and the async client of the supabase package."""
from __future__ import annotations

import inspect
import re
import unittest

import inbox
from supabase_auth.errors import AuthApiError


async def done(value):
    """What a client's method gives, whether it is the sync or the async one."""
    return await value if inspect.isawaitable(value) else value


class Story:
    def __init__(self, test: unittest.TestCase, url: str, keys: dict, make_client):
        self.test, self.url, self.keys, self.make_client = test, url, keys, make_client

    async def client(self, role: str = "anon"):
        return await done(self.make_client(self.url, self.keys[role]))

    async def refused(self, value, *codes: str):
        """The call must fail with one of the error codes; a coroutine or a function without arguments."""
        with self.test.assertRaises(AuthApiError) as caught:
            await done(value() if callable(value) else value)
        if codes:
            self.test.assertIn(caught.exception.code, codes)

    async def account(self):
        test, email, password = self.test, "ann@example.org", "a long enough pass-phrase 1"
        app = await self.client()
        answer = await done(app.auth.sign_up({"email": email, "password": password, "options": {"data": {"name": "Ann"}}}))
        test.assertIsNone(answer.session)
        test.assertEqual(answer.user.email, email)
        await self.refused(lambda: app.auth.sign_in_with_password({"email": email, "password": password}), "email_not_confirmed")

        mail = inbox.wait(self.url, email)
        test.assertIn(mail.code, re.sub(r"<[^>]+>", "", mail.html))
        wrong = "000000" if mail.code != "000000" else "111111"
        await self.refused(lambda: app.auth.verify_otp({"email": email, "token": wrong, "type": "signup"}), "otp_expired")
        answer = await done(app.auth.verify_otp({"email": email, "token": mail.code, "type": "signup"}))
        test.assertEqual(answer.user.user_metadata["name"], "Ann")
        test.assertIsNotNone(answer.session.access_token)
        await self.refused(lambda: app.auth.verify_otp({"email": email, "token": mail.code, "type": "signup"}), "otp_expired")

        app = await self.client()
        answer = await done(app.auth.sign_in_with_password({"email": email, "password": password}))
        test.assertEqual(answer.session.token_type, "bearer")
        answer = await done(app.auth.get_user())
        test.assertEqual(answer.user.email, email)

        await done(app.auth.update_user({"data": {"theme": "dark", "locale": "hi"}}))
        answer = await done(app.auth.update_user({"data": {"locale": None}}))
        test.assertEqual(answer.user.user_metadata.get("theme"), "dark")
        test.assertNotIn("locale", answer.user.user_metadata)
        test.assertEqual(answer.user.user_metadata.get("name"), "Ann")

        changed = password + " changed"
        await done(app.auth.update_user({"password": changed}))
        other = await self.client()
        await self.refused(lambda: other.auth.sign_in_with_password({"email": email, "password": password}), "invalid_credentials")
        await done(other.auth.sign_in_with_password({"email": email, "password": changed}))

        await self.change_email(app, email, "ann.new@example.org")
        await self.refused(lambda: other.auth.sign_in_with_password({"email": email, "password": changed}), "invalid_credentials")
        await self.sign_out("ann.new@example.org", changed)

    async def change_email(self, app, old: str, new: str):
        before = inbox.count(self.url, old)
        answer = await done(app.auth.update_user({"email": new}))
        self.test.assertEqual(answer.user.new_email, new)
        for address, after in ((old, before), (new, 0)):
            mail = inbox.wait(self.url, address, after)
            await done(app.auth.verify_otp({"email": address, "token": mail.code, "type": "email_change"}))
        answer = await done(app.auth.get_user())
        self.test.assertEqual(answer.user.email, new)

    async def sign_out(self, email: str, password: str):
        """Three devices: `others` ends the other two, `local` the own one, `global` all."""
        first, second, third = [await self.client() for _ in range(3)]
        for device in (first, second, third):
            await done(device.auth.sign_in_with_password({"email": email, "password": password}))

        before = (await done(first.auth.get_session())).refresh_token
        answer = await done(first.auth.refresh_session())
        self.test.assertNotEqual(answer.session.refresh_token, before)

        await done(first.auth.sign_out({"scope": "others"}))
        await self.refused(lambda: second.auth.refresh_session(), "refresh_token_not_found", "session_not_found")
        await done(first.auth.refresh_session())

        await done(third.auth.sign_in_with_password({"email": email, "password": password}))
        left = (await done(third.auth.get_session())).refresh_token
        await done(third.auth.sign_out({"scope": "local"}))
        await self.refused(lambda: third.auth.refresh_session(left), "refresh_token_not_found", "session_not_found")
        await done(first.auth.refresh_session())

        await done(second.auth.sign_in_with_password({"email": email, "password": password}))
        left = (await done(second.auth.get_session())).refresh_token
        await done(first.auth.sign_out({"scope": "global"}))
        await self.refused(lambda: second.auth.refresh_session(left), "refresh_token_not_found", "session_not_found")

    async def admin(self):
        test, service = self.test, await self.client("service_role")
        api = service.auth.admin
        made = (await done(api.create_user({
            "email": "bob@example.org", "password": "bobs own pass-phrase 2", "email_confirm": True,
            "user_metadata": {"name": "Bob"}, "app_metadata": {"plan": "pro"}}))).user
        test.assertEqual(made.app_metadata["plan"], "pro")
        await self.refused(lambda: api.create_user({"email": "bob@example.org", "password": "another pass-phrase 3"}), "email_exists")
        test.assertIn(made.id, [u.id for u in await done(api.list_users())])
        test.assertEqual(len(await done(api.list_users(page=1, per_page=1))), 1)
        test.assertEqual((await done(api.get_user_by_id(made.id))).user.email, "bob@example.org")
        answer = await done(api.update_user_by_id(made.id, {"user_metadata": {"name": "Robert"}, "email": "rob@example.org",
                                                            "email_confirm": True}))
        test.assertEqual((answer.user.email, answer.user.user_metadata["name"]), ("rob@example.org", "Robert"))
        app = await self.client()
        await done(app.auth.sign_in_with_password({"email": "rob@example.org", "password": "bobs own pass-phrase 2"}))
        await self.refused(lambda: app.auth.admin.list_users(), "not_admin", "bad_jwt", "no_authorization")
        await done(api.delete_user(made.id))
        await self.refused(lambda: api.get_user_by_id(made.id), "user_not_found")
        await self.refused(lambda: app.auth.sign_in_with_password({"email": "rob@example.org", "password": "bobs own pass-phrase 2"}),
                           "invalid_credentials")
