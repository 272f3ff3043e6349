"""The cookie that remembers a device: signed, and independent of the clocks of this computer and of the phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from itsdangerous import BadSignature

if TYPE_CHECKING:
    from flask import Flask, Request, Response


class DeviceCookie(SecureCookieSessionInterface):
    """A signed cookie that holds as long as the browser keeps it.

    The signature carries a time, which is not looked at: a clock that is set back or forward would sign every
    device out of its games. The browser is told for how long to keep the cookie, not until when, because the
    clock of the phone may be another.
    """

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """What the cookie holds; empty if there is none or its signature is not ours."""
        signing = self.get_signing_serializer(app)
        if signing is None:
            return None
        try:
            return self.session_class(signing.loads(request.cookies.get(self.get_cookie_name(app), "")))
        except BadSignature:
            return self.session_class()

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Renew the cookie."""
        if session.accessed:
            response.vary.add("Cookie")
        signing = self.get_signing_serializer(app)
        if signing is None or not session or not self.should_set_cookie(app, session):
            return
        response.set_cookie(
            self.get_cookie_name(app),
            str(signing.dumps(dict(session))),
            max_age=app.permanent_session_lifetime if session.permanent else None,
            domain=self.get_cookie_domain(app),
            path=self.get_cookie_path(app),
            secure=self.get_cookie_secure(app),
            httponly=self.get_cookie_httponly(app),
            samesite=self.get_cookie_samesite(app),
        )
        response.vary.add("Cookie")
