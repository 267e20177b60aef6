import type { IncomingMessage, ServerResponse } from 'node:http';
import { impliedScopes } from '../../auth/principals.ts';
import { CallerShowing, type Session, type Sessions, type ShownCredential } from '../../auth/sessions.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Principal } from '../../core/model/principal.ts';
import { operations } from '../../gen/admin-v1/operations.ts';
import { send, sendError } from '../../transports/http/headers.ts';
import { RequestFacts } from '../../transports/http/request-facts.ts';
import type { CallerOfConsole } from '../../wire/console-settings.ts';
import type { ExtensionServer } from '../http/server.ts';

/** Milliseconds after which a session that is used is renewed. */
const renewAfter = 5 * 60_000;

/** An answer to a request about the session. */
interface SessionAnswer {
  readonly body: object;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
}

type Serve = (req: IncomingMessage, facts: RequestFacts) => Promise<SessionAnswer>;

/**
 * Serves `/console/session`: who calls (GET, which also renews the session that is used), signing in with the credential in the
 * request's headers (POST), and signing out (DELETE). Only the console's script may ask.
 */
export function createSessionPage({ active, audit }: ExtensionServer, sessions: Sessions, headers: readonly string[]) {
  const answerFor = (principal: Principal, session: Session | undefined): CallerOfConsole => ({
    ...whoIs(principal),
    operations: operations.map(({ name }) => name).filter((name) => active.snapshot.access.permits(principal, name)),
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

  const verbs: Readonly<Record<string, Serve>> = {
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
      const principal = await active.snapshot.access.admit(new CallerShowing(facts, shown, apiKeyHeader.toLowerCase()));
      if (principal.anonymous) throw new A2AError('unauthenticated', 'The gateway does not know this credential');
      const session = sessions.create(shown, sessions.isSecure(facts), principal.until);
      const cookie = sessions.cookie(session);
      // A browser that had one has another now.
      await end(facts);
      audit({ event: 'session.opened', principal: principal.id, address: facts.remoteAddress });
      return { body: answerFor(principal, session), cookies: [cookie] };
    },
    async DELETE(_, facts) {
      const principal = await Promise.resolve(active.snapshot.access.authenticate(facts)).catch(() => undefined);
      await end(facts, principal?.id);
      return { body: {}, cookies: sessions.noCookies() };
    },
  };

  return (req: IncomingMessage, res: ServerResponse): void => {
    const facts = new RequestFacts(req);
    const fixed = [...headers, 'Cache-Control', 'no-store'];
    const serve = verbs[req.method ?? ''];
    const answer = async (): Promise<SessionAnswer> => {
      if (!serve) {
        fixed.push('Allow', Object.keys(verbs).join(', '));
        throw new A2AError('verbNotAllowed');
      }
      sessions.requireConsole(facts);
      return serve(req, facts);
    };
    answer().then(
      ({ body, cookies = [] }) => {
        for (const cookie of cookies) fixed.push('Set-Cookie', cookie);
        send(res, 200, fixed, 'application/json', JSON.stringify(body));
      },
      (thrown: unknown) => sendError(res, A2AError.from(thrown), fixed),
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
