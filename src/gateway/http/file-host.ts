import { createHash } from 'node:crypto';
import type { Artifact, Message, Part, StreamResponse, Task } from '../../core/model/a2a.ts';
import type { Requester } from '../../core/model/call.ts';
import type { TaskOwner } from '../../core/model/ids.ts';
import type { Store } from '../../core/ports/store.ts';
import { sealedTokens } from '../../net/credentials/sealed-tokens.ts';
import type { FileHost, HostedFile } from '../../transports/http/files.ts';

/** The content of a token: the task's owner, its id, and the digest of the part. */
type Sealed = readonly [agent: string, tenant: string, principal: string, taskId: string, digest: string];

/** Number of events that are read at once from a log. Each may contain a file. */
const page = 32;

/**
 * Serves inline bytes from the tasks that hold them; no copy is stored. A token is encrypted with a secret of the store, so
 * that every replica can open it, also after a restart, and callers can neither read nor forge one.
 */
export async function createFileHost(store: Store): Promise<FileHost> {
  const tokens = sealedTokens<Sealed>(await store.secret('files'), 'files');
  return {
    seal: ({ agent, tenant, principal }, taskId, part) =>
      tokens.seal([agent, tenant, principal, taskId, digestOf(part)]),
    async open(agent, token, requester) {
      const sealed = tokens.open(token);
      if (sealed?.[0] !== agent) return undefined;
      const [, tenant, principal, taskId, digest] = sealed;
      return findFile(store, { agent, tenant, principal }, taskId, digest, requester);
    },
  };
}

/** Digest of the bytes, the media type and the name: two parts with equal bytes and different names are two files. */
const digestOf = ({ raw = '', mediaType, filename }: Part): string =>
  createHash('sha256')
    .update(JSON.stringify([mediaType, filename]))
    .update(raw)
    .digest('base64url');

async function findFile(
  store: Store,
  owner: TaskOwner,
  taskId: string,
  digest: string,
  requester: Requester | undefined,
): Promise<HostedFile | undefined> {
  const stored = await store.find(owner, taskId, requester);
  if (!stored) return undefined;
  const file = fileAmong(partsOfTask(stored.task), digest);
  if (file) return file;
  // An artifact that was replaced is still in the log.
  for (let after = 0; after < stored.seq; ) {
    const events = await store.events(stored.key, after, page, requester);
    const last = events.at(-1);
    if (!last) return undefined;
    for (const { event } of events) {
      const replaced = fileAmong(partsOfEvent(event), digest);
      if (replaced) return replaced;
    }
    after = last.seq;
  }
  return undefined;
}

function fileAmong(parts: Iterable<Part>, digest: string): HostedFile | undefined {
  for (const part of parts) {
    if (part.raw === undefined || digestOf(part) !== digest) continue;
    const { raw, mediaType, filename } = part;
    return { bytes: Buffer.from(raw, 'base64'), mediaType, filename, digest };
  }
  return undefined;
}

type Holder = Pick<Artifact | Message, 'parts'> | undefined;

function* partsOf(holders: Iterable<Holder>): Generator<Part> {
  for (const holder of holders) yield* holder?.parts ?? [];
}

const partsOfTask = ({ artifacts = [], history = [], status }: Task): Iterable<Part> =>
  partsOf([...artifacts, ...history, status.message]);

function* partsOfEvent({ task, message, artifactUpdate, statusUpdate }: StreamResponse): Generator<Part> {
  if (task) yield* partsOfTask(task);
  yield* partsOf([message, artifactUpdate?.artifact, statusUpdate?.status.message]);
}
