import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto';
import type { Artifact, Message, Part, StreamResponse, Task } from '../../core/model/a2a.ts';
import type { ReadBudget } from '../../core/model/call.ts';
import type { TaskOwner } from '../../core/model/ids.ts';
import type { Store } from '../../core/ports/store.ts';
import type { FileHost, HostedFile } from '../../transports/pages/files.ts';

/** The content of a token: the task's owner, its id, and the digest of the part. */
type Sealed = readonly [agent: string, tenant: string, principal: string, taskId: string, digest: string];

const cipher = 'aes-256-gcm';
/** Bytes. */
const [nonceLength, tagLength, keyLength] = [12, 16, 32];
/** Characters of the longest accepted token. */
const maxToken = 8_192;
/** Events read at once from a log; each may hold a file. */
const page = 32;

/**
 * Serves inline bytes from the tasks that hold them; no copy is stored. A token is encrypted with a secret of the store, so
 * that every replica can open it, also after a restart, and callers can neither read nor forge one.
 */
export async function createFileHost(store: Store): Promise<FileHost> {
  const tokens = fileTokens(await store.secret('files'));
  return {
    seal: ({ agent, tenant, principal }, taskId, part) =>
      tokens.seal([agent, tenant, principal, taskId, digestOf(part)]),
    async open(agent, token, room) {
      const sealed = tokens.open(token);
      if (sealed?.[0] !== agent) return undefined;
      const [, tenant, principal, taskId, digest] = sealed;
      return findFile(store, { agent, tenant, principal }, taskId, digest, room);
    },
  };
}

/** Encrypts without a random nonce, so that the same file always has the same URL. */
function fileTokens(secret: string) {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', `a2a-gateway files ${use}`, keyLength));
  const [key, nonceKey] = [derive('key'), derive('nonce')];
  const options = { authTagLength: tagLength };
  return {
    seal(content: Sealed): string {
      const text = JSON.stringify(content);
      const nonce = createHmac('sha256', nonceKey).update(text).digest().subarray(0, nonceLength);
      const sealing = createCipheriv(cipher, key, nonce, options);
      const body = [sealing.update(text), sealing.final()];
      return Buffer.concat([nonce, ...body, sealing.getAuthTag()]).toString('base64url');
    },
    /** Undefined for a text that `seal` did not create. */
    open(token: string): Sealed | undefined {
      if (token.length > maxToken) return undefined;
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length <= nonceLength + tagLength || bytes.toString('base64url') !== token) return undefined;
      const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceLength), options);
      opening.setAuthTag(bytes.subarray(-tagLength));
      try {
        const text = Buffer.concat([opening.update(bytes.subarray(nonceLength, -tagLength)), opening.final()]);
        return JSON.parse(text.toString()) as Sealed;
      } catch {
        return undefined;
      }
    },
  };
}

/** Of the bytes, the media type and the name: two parts with the same bytes and different names are two files. */
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
  room: ReadBudget | undefined,
): Promise<HostedFile | undefined> {
  const stored = await store.find(owner, taskId, room);
  if (!stored) return undefined;
  const file = fileAmong(partsOfTask(stored.task), digest);
  if (file) return file;
  // An artifact that has been replaced is still in the log.
  for (let after = 0; after < stored.seq; ) {
    const events = await store.events(stored.key, after, page, room);
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
