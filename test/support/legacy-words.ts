import type { Message, Part, StreamResponse, TaskStatus } from '../../src/core/model/a2a.ts';

/**
 * v1 in the words of A2A 0.2 and 0.3 over JSON, written down once more by hand, so that what tests compare with is not
 * made by what they test.
 */

const state = (name: string): string => name.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');

function part({ text, data, raw, url, mediaType, filename }: Part): object {
  if (text !== undefined) return { kind: 'text', text };
  if (data !== undefined) return { kind: 'data', data };
  const file = { ...(mediaType && { mimeType: mediaType }), ...(filename && { name: filename }) };
  return { kind: 'file', file: { ...file, ...(raw === undefined ? { uri: url } : { bytes: raw }) } };
}

export const legacyMessage = ({ role, parts, ...rest }: Message): object => ({
  kind: 'message',
  ...rest,
  role: role === 'ROLE_USER' ? 'user' : 'agent',
  parts: parts.map(part),
});

const legacyStatus = (status: TaskStatus): object => ({
  state: state(status.state),
  ...(status.timestamp && { timestamp: status.timestamp }),
  ...(status.message && { message: legacyMessage(status.message) }),
});

const final = /^(completed|failed|canceled|rejected|input-required|auth-required)$/;

/** An event as the servers of 0.2 and 0.3 publish and send it. */
export function legacyEvent({ task, message, statusUpdate, artifactUpdate }: StreamResponse): object {
  if (message) return legacyMessage(message);
  if (statusUpdate) {
    const { taskId, contextId, status } = statusUpdate;
    const ends = final.test(state(status.state));
    return { kind: 'status-update', taskId, contextId, status: legacyStatus(status), final: ends };
  }
  if (artifactUpdate) {
    const { artifact, ...rest } = artifactUpdate;
    return { kind: 'artifact-update', ...rest, artifact: { ...artifact, parts: artifact.parts.map(part) } };
  }
  if (!task) throw new TypeError('no event');
  const { status, history, artifacts, ...rest } = task;
  return {
    kind: 'task',
    ...rest,
    status: legacyStatus(status),
    ...(history && { history: history.map(legacyMessage) }),
    ...(artifacts && { artifacts: artifacts.map((one) => ({ ...one, parts: one.parts.map(part) })) }),
  };
}

/** Parts as 0.2 and 0.3 have them, as far as they are known here. */
interface LegacyPart {
  readonly kind: string;
  readonly text?: string;
  readonly data?: unknown;
  readonly file?: {
    readonly bytes?: string;
    readonly uri?: string;
    readonly mimeType?: string;
    readonly name?: string;
  };
}

function v1Part({ text, data, file }: LegacyPart): Part {
  if (text !== undefined) return { text };
  if (data !== undefined) return { data };
  const { bytes, uri, mimeType, name } = file ?? {};
  return {
    ...(bytes !== undefined && { raw: bytes }),
    ...(uri !== undefined && { url: uri }),
    ...(mimeType !== undefined && { mediaType: mimeType }),
    ...(name !== undefined && { filename: name }),
  };
}

/** A message that a server of 0.2 or 0.3 has received. */
export function v1Message(message: object): Message {
  const { role, parts, messageId, taskId, contextId } = message as {
    role: string;
    parts: readonly LegacyPart[];
    messageId: string;
    taskId?: string;
    contextId?: string;
  };
  return {
    messageId,
    role: role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT',
    parts: parts.map(v1Part),
    ...(taskId !== undefined && { taskId }),
    ...(contextId !== undefined && { contextId }),
  };
}
