// In a project of your own: import … from 'a2a-gateway';
import { challenge, defineAuth } from '../../src/index.ts';

/** A session, as the service that signs users in stores it. */
interface Session {
  readonly user: string;
  readonly name: string;
  readonly tenants: readonly string[];
  /** May write notes, not only read them. */
  readonly writes: boolean;
}

/** The sessions by token. A real module would ask its session store, and stop when `signal` aborts. */
const sessions: ReadonlyMap<string, Session> = new Map([
  ['token-of-ada', { user: 'ada', name: 'Ada', tenants: ['acme'], writes: true }],
  ['token-of-bob', { user: 'bob', name: 'Bob', tenants: ['acme'], writes: false }],
  ['token-of-eve', { user: 'eve', name: 'Eve', tenants: ['globex', 'initech'], writes: true }],
]);

/** Authenticates callers by tokens of our own, in a header of our own, and decides what each may do. */
export default defineAuth({
  authenticate({ header }) {
    const token = header('x-session');
    if (token === undefined) return challenge('Session realm="notes"');
    const session = sessions.get(token);
    if (!session) return challenge('Session realm="notes", error="unknown session"');
    const { user, name, tenants, writes } = session;
    return { id: user, tenants, attributes: { name, writes } };
  },
  authorize({ principal, operation, request }) {
    const isSend = operation === 'SendMessage' || operation === 'SendStreamingMessage';
    const reads =
      !isSend || (request as { message?: { parts?: { text?: string }[] } }).message?.parts?.[0]?.text === 'list';
    return reads || principal.attributes?.writes === true || { allowed: false, reason: 'You may only read notes' };
  },
  securitySchemes: {
    session: { apiKeySecurityScheme: { location: 'header', name: 'X-Session' } },
  },
  securityRequirements: [{ schemes: { session: { list: [] } } }],
});
