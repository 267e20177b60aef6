import type { ToolFailure } from '../failures.ts';
import type { McpSession } from './session.ts';

/**
 * The meaning of a refusal for its session. `lost`: the specification has HTTP 404 for a session that the server does not know, so that
 * nothing has run. `suspect`: servers say it in other ways too, and so may a tool whose own work is about sessions. `failing`: the
 * server or what is before it fails.
 */
type Suspicion = 'lost' | 'suspect' | 'failing' | undefined;

/** The state of a session. `lost`: it is gone, and the refused request has not run. `gone`: whether that has run is not known. */
export type SessionState = 'lost' | 'gone' | 'open';

/** Statuses that are about the request as a whole, before it is carried out. */
const ofRequest: ReadonlySet<number> = new Set([400, 404, 405, 409, 410, 422]);

/** Words of servers that miss a session, or the handshake which begins one. */
const aboutSessions = /session|initiali[sz]|handshake/i;
/** The error of the SDK for Python for a request before a handshake. */
const pythonWords = /^-32602 invalid request parameters$/i;

export function suspicionOf({ answer, details, answersRequest }: ToolFailure): Suspicion {
  if (answer === undefined) return undefined;
  const status = Number(details?.http_status);
  if (status === 404 && !answersRequest) return 'lost';
  if (ofRequest.has(status) || aboutSessions.test(answer) || pythonWords.test(answer)) return 'suspect';
  return status >= 500 ? 'failing' : undefined;
}

/**
 * Finds out the state of the session in which a request was refused. A server that refuses in the same way what executes nothing has
 * refused the request before it was carried out: that proves that nothing has run. Rejects with the signal's reason.
 */
export async function sessionAfter(
  failure: ToolFailure,
  session: Pick<McpSession, 'check'>,
  signal: AbortSignal,
): Promise<SessionState> {
  const suspicion = suspicionOf(failure);
  if (suspicion === undefined || suspicion === 'lost') return suspicion ?? 'open';
  const other = await session.check(signal);
  if (!other) return 'open';
  if (suspicion === 'suspect' && isSameRefusal(failure, other)) return 'lost';
  return suspicionOf(other) === undefined ? 'open' : 'gone';
}

/** Whether two refusals are alike, but for what names the request: its method, its id, and other numbers. */
const isSameRefusal = (one: ToolFailure, other: ToolFailure): boolean => plainAnswer(one) === plainAnswer(other);

function plainAnswer({ answer = '' }: ToolFailure): string {
  const [, head = '', words = ''] = /^((?:HTTP )?-?\d+)([\s\S]*)$/.exec(answer) ?? [];
  const code = /"code"\s*:\s*(-?\d+)/.exec(words)?.[1] ?? '';
  const plain = words
    .toLowerCase()
    .replaceAll(/tools\\?\/(?:call|list)/g, '')
    .replaceAll(/"id"\s*:\s*(?:"[^"]*"|-?\d+|null)/g, '')
    .replaceAll(/[0-9a-f]{8}[0-9a-f-]{4,}|-?\d+/g, '');
  return `${head} ${code} ${plain}`;
}
