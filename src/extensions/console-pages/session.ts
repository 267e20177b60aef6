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

/** Milliseconds after which a used session is renewed. */
const renewAfter = 5 * 60_000;

/** Answer to a request about the session. */
interface SessionAnswer {
  readonly body: object;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
  /** Address to which the browser goes instead of reading the body. */
  readonly location?: string;
}

type Serve = (req: IncomingMessage, facts: RequestFacts) => Promise<SessionAnswer>;

/** Handlers of a path by HTTP method. */
type Verbs = Readonly<Record<string, Serve>>;

/** Path to which the provider sends the browser back, below the gateway's URL. */
const answerPath = '/console/signed-in';

/**
 * Serves `/console/session`: who calls (GET, which also renews the session that is used), signing in with the credential in the
 * request's headers (POST), and signing out (DELETE); `/console/sign-in`, which begins at an identity provider (POST); and
 * `/console/signed-in`, where that leads back to. Only the console's script may ask, except for the last.
 */
export class SessionPage {
  readonly #server: ModuleServer;
  readonly #sessions: Sessions;
  /** Names and values of the headers in every answer. */
  readonly #headers: readonly string[];
  readonly #signInAt: () => SignIn | undefined;
  readonly #paths: Readonly<Record<string, Verbs>>;

  constructor(server: ModuleServer, sessions: Sessions, headers: readonly string[]) {
    this.#server = server;
    this.#sessions = sessions;
    this.#headers = headers;
    this.#signInAt = server.active.computed(({ config: { auth, console: settings } }) => {
      const { signIn } = typeof settings === 'object' ? settings : {};
      const { jwt } = auth;
      return signIn && jwt && new SignIn(jwt.issuer, { ...signIn, scopes: signIn.scopes ?? jwt.clientScopes });
    });
    this.#paths = {
      '/console/session': { GET: this.#show, POST: this.#signIn, DELETE: this.#signOut },
      '/console/sign-in': { POST: this.#beginAtProvider },
      [answerPath]: { GET: this.#finishAtProvider },
    };
  }

  readonly serve = (req: IncomingMessage, res: ServerResponse): void => {
    const facts = new RequestFacts(req);
    const path = req.url?.split('?', 1)[0] ?? '';
    const fixed = [...this.#headers, 'Cache-Control', 'no-store'];
    this.#answer(req, facts, path, fixed).then(
      ({ body, cookies = [], location }) => {
        for (const cookie of cookies) fixed.push('Set-Cookie', cookie);
        if (location === undefined) send(res, 200, fixed, 'application/json', JSON.stringify(body));
        else sendEmpty(res, 303, [...fixed, 'Location', location]);
      },
      (thrown: unknown) => {
        const error = A2AError.from(thrown);
        this.#note(error, facts, path);
        if (path === answerPath) sendPage(res, error, fixed);
        else sendError(res, error, fixed);
      },
    );
  };

  async #answer(req: IncomingMessage, facts: RequestFacts, path: string, fixed: string[]): Promise<SessionAnswer> {
    const verbs = own(this.#paths, path) ?? {};
    const serve = own(verbs, req.method ?? '');
    if (!serve) {
      fixed.push('Allow', Object.keys(verbs).join(', '));
      throw new A2AError('verbNotAllowed');
    }
    if (path !== answerPath) this.#sessions.requireConsole(facts);
    return serve(req, facts);
  }

  /** Logs the reason of a failed request if its error does not tell it to the caller. */
  #note(error: A2AError, facts: RequestFacts, path: string): void {
    const { audit, logger } = this.#server;
    if (error.cause === undefined) return;
    const reason = `${error.message}: ${(error.cause as Error).message ?? error.cause}`;
    if (error.kind === 'unauthenticated' && path === answerPath) {
      audit({ event: 'authentication.failed', reason, address: facts.remoteAddress });
    } else logger.warn({ err: error.cause }, 'a request about the session of the console failed');
  }

  readonly #show: Serve = async (_, facts) => {
    const sessions = this.#sessions;
    try {
      const principal = await this.#access.admit(facts);
      const session = principal.session === undefined ? undefined : sessions.find(facts);
      const isOld = session && session.idle - Date.now() < sessions.times.idle - renewAfter;
      return {
        body: this.#answerFor(principal, session),
        ...(isOld && { cookies: [sessions.cookie(sessions.renew(session))] }),
      };
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (error.kind !== 'unauthenticated') throw error;
      // There is no session, or it has ended.
      return { body: { scopes: [], operations: [] } satisfies CallerOfConsole, cookies: sessions.noCookies() };
    }
  };

  readonly #signIn: Serve = async (_, facts) => {
    const { apiKeyHeader } = this.#server.active.snapshot.config.auth;
    const shown = shownIn(facts, apiKeyHeader.toLowerCase());
    if (!shown) {
      throw new A2AError(
        'invalidRequest',
        `Signing in needs a credential in Authorization, X-Api-Key or ${apiKeyHeader}`,
      );
    }
    return this.#start(facts, shown, this.#sessions.isSecure(facts));
  };

  readonly #signOut: Serve = async (_, facts) => {
    const principal = await Promise.resolve(this.#access.authenticate(facts)).catch(() => undefined);
    await this.#end(facts, principal?.id);
    return { body: {}, cookies: this.#sessions.noCookies() };
  };

  readonly #beginAtProvider: Serve = async (req, facts) => {
    await this.#access.countOpen(facts);
    const { url, pending } = await this.#requireSignIn().begin(this.#server.urlOf(req, answerPath));
    const cookie = this.#sessions.pendingCookie({ ...pending, secure: this.#sessions.isSecure(facts) });
    return { body: { url: url.href }, cookies: [cookie] };
  };

  readonly #finishAtProvider: Serve = async (req, facts) => {
    await this.#access.countOpen(facts);
    const provider = this.#requireSignIn();
    const pending = this.#sessions.findPending(facts);
    if (!pending) {
      throw new A2AError('unauthenticated', 'This sign-in did not begin in this browser, or it took too long');
    }
    const { token, subject } = await provider.finish(pending, req.url?.split('?', 2)[1] ?? '');
    // The access token must belong to the person who has signed in.
    const isMeant = ({ id, credential }: Principal): boolean =>
      credential?.kind !== 'jwt' || id === principalIds.token(provider.issuer, subject);
    const { body, cookies } = await this.#start(facts, ['authorization', `Bearer ${token}`], pending.secure, isMeant);
    return { body, cookies: [...cookies, this.#sessions.noPendingCookie(pending)], location: './' };
  };

  get #access() {
    return this.#server.active.snapshot.access;
  }

  #requireSignIn(): SignIn {
    const found = this.#signInAt();
    if (!found)
      throw new A2AError('routeNotFound', 'Signing in at a provider needs console.signIn, which is not configured');
    return found;
  }

  #answerFor(principal: Principal, session: Session | undefined): CallerOfConsole {
    const permits = (name: string): boolean =>
      this.#access.permits(principal, name) && !(name === 'Record' && this.#server.hidesWords());
    return {
      ...whoIs(principal),
      operations: operations.map(({ name }) => name).filter(permits),
      ...(session && {
        session: {
          kind: session.credential[0] === 'authorization' ? 'bearer' : 'apiKey',
          until: new Date(Math.min(session.end, principal.until ?? session.end)).toISOString(),
        },
      }),
    };
  }

  /** Begins a session with the credential in a request. */
  async #start(facts: RequestFacts, shown: ShownCredential, secure: boolean, isMeant = (_: Principal) => true) {
    const { apiKeyHeader } = this.#server.active.snapshot.config.auth;
    const principal = await this.#access.admit(callerShowing(facts, shown, apiKeyHeader.toLowerCase()));
    if (principal.anonymous || !isMeant(principal)) {
      throw new A2AError('unauthenticated', 'The gateway does not know this credential');
    }
    const session = this.#sessions.create(shown, secure, principal.until);
    const cookie = this.#sessions.cookie(session);
    // A browser that had one has another now.
    await this.#end(facts);
    this.#server.audit({ event: 'session.opened', principal: principal.id, address: facts.remoteAddress });
    return { body: this.#answerFor(principal, session), cookies: [cookie] };
  }

  /** Ends the session of a request, if it has one. */
  async #end(facts: RequestFacts, principal?: string): Promise<void> {
    const session = this.#sessions.find(facts);
    if (!session) return;
    await this.#sessions.end(session);
    const known = principal === undefined ? {} : { principal };
    this.#server.audit({ event: 'session.ended', address: facts.remoteAddress, ...known });
  }
}

/** Sends a page about an error, for people whom the identity provider has sent back. */
function sendPage(res: ServerResponse, error: A2AError, fixed: string[]): void {
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
}

const whoIs = ({ id, anonymous, scopes, agents, tenants }: Principal): Omit<CallerOfConsole, 'operations'> => ({
  principal: id,
  anonymous,
  scopes: [...(scopes ?? impliedScopes)],
  ...(agents && { agents: [...agents] }),
  ...(tenants && { tenants: [...tenants] }),
});

/** Returns the credential in the headers of a request. */
function shownIn(facts: RequestFacts, apiKeyHeader: string): ShownCredential | undefined {
  for (const header of [apiKeyHeader, 'x-api-key', 'authorization']) {
    const value = facts.header(header);
    if (value !== undefined && value !== '') return [header, value];
  }
  return undefined;
}
