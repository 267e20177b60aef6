import type { SendMessageRequest } from '../model/a2a.ts';
import type { AgentContext } from '../model/agent.ts';
import { isObject } from '../model/json.ts';
import { readStored, unreadable } from '../model/stored-form.ts';

/** Parts of a request for the agent besides the message itself. */
export type RequestParts = Omit<SendMessageRequest, 'message' | 'tenant'>;

/**
 * Returns the parts of a request for the agent, besides the message: all fields, including those that later versions of
 * A2A add, except those that the gateway handles itself: tenants, push notifications, the length of histories and
 * waiting.
 */
export function requestPartsOf({
  tenant: _tenant,
  message: _message,
  configuration,
  ...others
}: SendMessageRequest): RequestParts {
  const {
    taskPushNotificationConfig: _push,
    historyLength: _length,
    returnImmediately: _wait,
    ...passedOn
  } = configuration ?? {};
  return Object.keys(passedOn).length > 0 ? { configuration: passedOn, ...others } : others;
}

/** The parts of a request, with the extensions that the caller activated. Stored until the agent has answered the message. */
export interface TurnRequest extends Pick<AgentContext, 'extensions'> {
  readonly parts: RequestParts;
}

/** Undefined if the agent gets only the message. */
export function turnRequestOf(
  request: SendMessageRequest,
  { extensions }: Pick<AgentContext, 'extensions'>,
): TurnRequest | undefined {
  const parts = requestPartsOf(request);
  return extensions.length > 0 || Object.keys(parts).length > 0 ? { parts, extensions } : undefined;
}

/** The stored form: JSON with the position of the message, because earlier versions do not delete outdated ones. */
export const writeTurnRequest = ({ parts, extensions }: TurnRequest, turn: number): string =>
  JSON.stringify({ turn, parts, extensions });

const title = 'The request of an unanswered message';

/** @throws A2AError `unavailable` for a text that cannot be read */
export function checkTurnRequest(text: string): TurnRequest & { readonly turn: number } {
  const stored = readStored<TurnRequest & { readonly turn: number }>(title, text);
  if (isObject(stored.parts) && Array.isArray(stored.extensions)) return stored;
  throw unreadable(title, 'it has no parts or no extensions');
}

/** Reads the request that was stored for the message at the position `turn`; undefined if none was stored. */
export function readTurnRequest(text: string | undefined, turn: number): TurnRequest | undefined {
  if (text === undefined) return undefined;
  const stored = checkTurnRequest(text);
  return stored.turn === turn ? stored : undefined;
}
