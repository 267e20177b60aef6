import type { IncomingMessage, ServerResponse } from 'node:http';
import { SignIn } from '../../auth/openid.ts';
import { impliedScopes, principalIds } from '../../auth/principals.ts';
import { callerShowing, type Session, type Sessions, type ShownCredential } from '../../auth/sessions.ts';
import { A2AError } from '../../core/model/errors.ts';
import { own } from '../../core/model/json.ts';
import type { Principal } from '../../core/model/principal.ts';
import { operations } from '../../gen/admin-v1/operations.ts';
import { send, sendEmpty, sendError } from '../../transports/http/headers.ts';
import { RequestFacts } from '../../transports/http/request-facts.ts';
import type { CallerOfConsole } from '../../wire/console-settings.ts';
import { escapeHtml } from '../../wire/html.ts';

import type { ModuleServer } from '../module.ts';

/** Milliseconds after which a session that is used is renewed. */
const renewAfter = 5 * 60_000;

/** An answer to a request about the session. */
interface SessionAnswer {
  readonly body: object;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
  /** Address to which the browser goes instead of reading the body. */
  readonly location?: string;
}

type Serve = (req: IncomingMessage, facts: RequestFacts) => Promise<SessionAnswer>;

/** Path to which the provider sends the browser back, below the gateway's URL. */
const answerPath = '/console/signed-in';

/**
 * Serves `/console/session`: who calls (GET, which also renews the session that is used), signing in with the credential in the
 * request's headers (POST), and signing out (DELETE); `/console/sign-in`, which begins at an identity provider (POST); and
 * `/console/signed-in`, where that leads back to. Only the console's script may ask, except for the last.
 */
export function createSessionPage(server: ModuleServer, sessions: Sessions, headers: readonly string[]) {
  const { active, audit, logger, urlOf } = server;
  const signInAt = active.computed(({ config: { auth, console: settings } }) => {
    const { signIn } = typeof settings === 'object' ? settings : {};
    const { jwt } = auth;
    return signIn && jwt && new SignIn(jwt.issuer, { ...signIn, scopes: signIn.scopes ?? jwt.clientScopes });
  });
  const requireSignIn = (): SignIn => {
    const found = signInAt();
    if (!found)
      throw new A2AError('routeNotFound', 'Signing in at a provider needs console.signIn, which is not configured');
    return found;
  };

  const answerFor = (principal: Principal, session: Session | undefined): CallerOfConsole => ({
    ...whoIs(principal),
    operations: operations
      .map(({ name }) => name)
      .filter((name) => active.snapshot.access.permits(principal, name) && !(name === 'Record' && server.hidesWords())),
    ...(session && {
      session: {
        kind: session.credential[0] === 'authorization' ? 'bearer' : 'apiKey',
        until: new Date(Math.min(session.end, principal.until ?? session.end)).toISOString(),
      },
    }),
  });

  /** Ends the session of a request, where it has one. */
  async function end(facts: RequestFacts, principal?: string): Promise<void> {
    const session = sessions.find(facts);
    if (!session) return;
    await sessions.end(session);
    audit({ event: 'session.ended', address: facts.remoteAddress, ...(principal !== undefined && { principal }) });
  }

  /** Begins the session of a credential that a caller shows. */
  async function start(facts: RequestFacts, shown: ShownCredential, secure: boolean, isMeant = (_: Principal) => true) {
    const { apiKeyHeader } = active.snapshot.config.auth;
    const principal = await active.snapshot.access.admit(callerShowing(facts, shown, apiKeyHeader.toLowerCase()));
    if (principal.anonymous || !isMeant(principal)) {
      throw new A2AError('unauthenticated', 'The gateway does not know this credential');
    }
    const session = sessions.create(shown, secure, principal.until);
    const cookie = sessions.cookie(session);
    // A browser that had one has another now.
    await end(facts);
    audit({ event: 'session.opened', principal: principal.id, address: facts.remoteAddress });
    return { body: answerFor(principal, session), cookies: [cookie] };
  }

  const session: Readonly<Record<string, Serve>> = {
    async GET(_, facts) {
      try {
        const principal = await active.snapshot.access.admit(facts);
        const session = principal.session === undefined ? undefined : sessions.find(facts);
        const isOld = session && session.idle - Date.now() < sessions.times.idle - renewAfter;
        return {
          body: answerFor(principal, session),
          ...(isOld && { cookies: [sessions.cookie(sessions.renew(session))] }),
        };
      } catch (thrown) {
        const error = A2AError.from(thrown);
        if (error.kind !== 'unauthenticated') throw error;
        // Nobody has signed in, or the session has ended.
        return { body: { scopes: [], operations: [] } satisfies CallerOfConsole, cookies: sessions.noCookies() };
      }
    },
    async POST(_, facts) {
      const { apiKeyHeader } = active.snapshot.config.auth;
      const shown = shownIn(facts, apiKeyHeader.toLowerCase());
      if (!shown) {
        throw new A2AError(
          'invalidRequest',
          `Signing in needs a credential in Authorization, X-Api-Key or ${apiKeyHeader}`,
        );
      }
      return start(facts, shown, sessions.isSecure(facts));
    },
    async DELETE(_, facts) {
      const principal = await Promise.resolve(active.snapshot.access.authenticate(facts)).catch(() => undefined);
      await end(facts, principal?.id);
      return { body: {}, cookies: sessions.noCookies() };
    },
  };

  const signIn: Readonly<Record<string, Serve>> = {
    async POST(req, facts) {
      await active.snapshot.access.countOpen(facts);
      const { url, pending } = await requireSignIn().begin(urlOf(req, answerPath));
      return {
        body: { url: url.href },
        cookies: [sessions.pendingCookie({ ...pending, secure: sessions.isSecure(facts) })],
      };
    },
  };

  const signedIn: Readonly<Record<string, Serve>> = {
    async GET(req, facts) {
      await active.snapshot.access.countOpen(facts);
      const provider = requireSignIn();
      const pending = sessions.findPending(facts);
      if (!pending) {
        throw new A2AError('unauthenticated', 'This sign-in did not begin in this browser, or it took too long');
      }
      const { token, subject } = await provider.finish(pending, req.url?.split('?', 2)[1] ?? '');
      // The access token is for the one who has signed in, and for nobody else.
      const isMeant = ({ id, credential }: Principal): boolean =>
        credential?.kind !== 'jwt' || id === principalIds.token(provider.issuer, subject);
      const { body, cookies } = await start(facts, ['authorization', `Bearer ${token}`], pending.secure, isMeant);
      return { body, cookies: [...cookies, sessions.noPendingCookie(pending)], location: './' };
    },
  };

  /** Sends a page about an error to people whom the provider has sent here. */
  const sendPage = (res: ServerResponse, error: A2AError, fixed: string[]): void => {
    const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>a2a-gateway console</title>
<h1>You are not signed in</h1>
<p>${escapeHtml(error.message)}.</p>
<p><a href="./">Back to the console</a></p>
</html>
`;
    send(res, error.row.http, fixed, 'text/html; charset=utf-8', body);
  };

  const paths: Readonly<Record<string, Readonly<Record<string, Serve>>>> = {
    '/console/session': session,
    '/console/sign-in': signIn,
    [answerPath]: signedIn,
  };

  return (req: IncomingMessage, res: ServerResponse): void => {
    const facts = new RequestFacts(req);
    const fixed = [...headers, 'Cache-Control', 'no-store'];
    const verbs = own(paths, req.url?.split('?', 1)[0] ?? '') ?? {};
    const isAnswer = verbs === signedIn;
    const answer = async (): Promise<SessionAnswer> => {
      const serve = own(verbs, req.method ?? '');
      if (!serve) {
        fixed.push('Allow', Object.keys(verbs).join(', '));
        throw new A2AError('verbNotAllowed');
      }
      if (!isAnswer) sessions.requireConsole(facts);
      return serve(req, facts);
    };
    answer().then(
      ({ body, cookies = [], location }) => {
        for (const cookie of cookies) fixed.push('Set-Cookie', cookie);
        if (location === undefined) send(res, 200, fixed, 'application/json', JSON.stringify(body));
        else sendEmpty(res, 303, [...fixed, 'Location', location]);
      },
      (thrown: unknown) => {
        const error = A2AError.from(thrown);
        if (error.cause !== undefined) {
          const reason = `${error.message}: ${(error.cause as Error).message ?? error.cause}`;
          if (error.kind === 'unauthenticated' && isAnswer) {
            audit({ event: 'authentication.failed', reason, address: facts.remoteAddress });
          } else logger.warn({ err: error.cause }, 'a request about the session of the console failed');
        }
        if (isAnswer) sendPage(res, error, fixed);
        else sendError(res, error, fixed);
      },
    );
  };
}

const whoIs = ({ id, anonymous, scopes, agents, tenants }: Principal): Omit<CallerOfConsole, 'operations'> => ({
  principal: id,
  anonymous,
  scopes: [...(scopes ?? impliedScopes)],
  ...(agents && { agents: [...agents] }),
  ...(tenants && { tenants: [...tenants] }),
});

/** The credential in the headers of a request. */
function shownIn(facts: RequestFacts, apiKeyHeader: string): ShownCredential | undefined {
  for (const header of [apiKeyHeader, 'x-api-key', 'authorization']) {
    const value = facts.header(header);
    if (value !== undefined && value !== '') return [header, value];
  }
  return undefined;
}
