"""The cookie that remembers a device: signed, and independent of all clocks."""

from flask import Flask, Request, Response, has_request_context
from flask import request as current_request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from itsdangerous import BadSignature

SECURE_PREFIX = "__Host-"
"""Prefix of a cookie that browsers send over https only, and take only from its own host."""


class DeviceCookie(SecureCookieSessionInterface):
    """A signed cookie that holds as long as the browser keeps it.

    Over https it has a name of its own and never travels over http. A device that comes from http
    to https is known by its cookie of http, until it has that of https; a cookie of http could not
    replace the other.

    The signature carries a time, which is not looked at: a clock that is set back or forward would
    sign every device out of its games. The browser is told for how long to keep the cookie, not
    until when, because the clock of the phone may be another.
    """

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """What the cookie holds; empty if there is none or its signature is not ours."""
        signing = self.get_signing_serializer(app)
        if signing is None:
            return None
        own = self.get_cookie_name(app)
        for name in (own, app.config["SESSION_COOKIE_NAME"]):
            try:
                session = self.session_class(signing.loads(request.cookies.get(name, "")))
            except BadSignature:
                continue
            session.modified = name != own
            return session
        return self.session_class()

    def get_cookie_name(self, app: Flask) -> str:
        """The name under which the request's scheme keeps the cookie."""
        return (SECURE_PREFIX if self.get_cookie_secure(app) else "") + str(
            app.config["SESSION_COOKIE_NAME"]
        )

    def get_cookie_secure(self, app: Flask) -> bool:
        """Whether the request came over https."""
        return has_request_context() and current_request.is_secure

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Keep the cookie where it has changed, and for longer with every page."""
        if session.accessed:
            response.vary.add("Cookie")
        signing = self.get_signing_serializer(app)
        is_due = session.modified or response.mimetype == "text/html"
        if signing is None or not session or not is_due:
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
