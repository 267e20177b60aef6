import type { Quirks } from '../../../core/model/call.ts';
import { isObject } from '../../../core/model/json.ts';
import { isBase64 } from '../../../gen/checks.ts';
import { canonicalBase64 } from '../../../wire/values.ts';
import type { CodecContext } from '../../kernel/codec.ts';
import type { Software } from '../../kernel/wire.ts';

/**
 * Differences between SDKs in the protobuf shape of A2A 0.3.
 *
 * - The SDKs of Python, Go and Java keep a file's base64 text from the JSON form and put that text into
 *   `file_with_bytes`; that of JavaScript puts the bytes there, as the schema has it.
 * - The schema of 0.3.0 has no metadata of parts and no names of files. The SDKs of Python and Go know both, that of
 *   JavaScript ignores them, and that of Java refuses JSON with unknown fields.
 *
 * They are listed in docs/reference/peers.md. Requests and answers of real ones are recorded in test/interop/software.
 */
export const software: readonly Software[] = [
  {
    name: 'a2a-gateway',
    quirks: { base64Bytes: false, laterFields: true },
    userAgents: ['a2a-gateway'],
    answersSo: ({ metadata }) => metadata.taskId !== undefined,
  },
  {
    name: 'the SDK for JavaScript',
    quirks: { base64Bytes: false, laterFields: false },
    userAgents: ['grpc-node', 'node', 'undici', 'Mozilla/'],
    answersSo: ({ message }) => message.startsWith('Task not found: '),
  },
  {
    name: 'the SDK for Java',
    quirks: { base64Bytes: true, laterFields: false },
    userAgents: ['grpc-java', 'Java-http-client/'],
    answersSo: ({ cause }) => isObject(cause) && typeof cause.error === 'string' && cause.error.startsWith('io.a2a.'),
  },
  {
    name: 'the SDK for Go',
    quirks: { base64Bytes: true, laterFields: true },
    userAgents: ['grpc-go/', 'Go-http-client/'],
    answersSo: ({ message }) => message === 'failed to get task: task not found',
  },
  {
    name: 'the SDK for Python',
    quirks: { base64Bytes: true, laterFields: true },
    userAgents: ['grpc-python', 'python-httpx/'],
    // The SDK for Java writes the same over gRPC, where the difference does not matter.
    answersSo: ({ message }) => message === 'Task not found',
  },
];

const nothingKnown: Quirks = {};

/** Returns the quirks of the peer, determined at the first call. */
function quirksOf({ peerSoftware }: CodecContext): Quirks {
  if (!peerSoftware) return nothingKnown;
  if (!peerSoftware.quirks) {
    const { userAgent = '', binary } = peerSoftware;
    const known = software.find(({ userAgents }) => userAgents.some((start) => userAgent.startsWith(start)));
    peerSoftware.quirks = { ...known?.quirks, ...(binary && { laterFields: true }) };
  }
  return peerSoftware.quirks;
}

/** Whether the peer accepts metadata of parts and names of files. */
export const readsLaterFields = (cx: CodecContext): boolean =>
  cx.peerSoftware === undefined || quirksOf(cx).laterFields === true;

/**
 * Returns the bytes of a file, in base64. From unknown software, bytes that are base64 text are read as that text, and
 * the rest of the call is read and written in the same way. Software that writes such text may also send bytes, for
 * programs without an SDK.
 *
 * @param wire the content of `file_with_bytes`, in base64 as all bytes are here
 */
export function decodeBytes(wire: string, cx: CodecContext): string {
  const { peerSoftware } = cx;
  if (!peerSoftware || wire === '') return wire;
  const quirks = quirksOf(cx);
  if (quirks.base64Bytes === false) return wire;
  const text = Buffer.from(wire, 'base64').toString('latin1');
  const inner = quirks.base64Bytes ? canonicalBase64(text) : text;
  const isText = isBase64(inner);
  if (quirks.base64Bytes !== isText) peerSoftware.quirks = { ...quirks, base64Bytes: isText };
  return isText ? inner : wire;
}

/**
 * The inverse of `decodeBytes`. Unknown software gets bytes, as the schema has it, which it may be unable to read: that
 * is reported as a loss.
 *
 * @param at path of the part for losses, with its dot
 */
export function encodeBytes(raw: string, cx: CodecContext, at: string): string {
  const { base64Bytes } = quirksOf(cx);
  if (cx.peerSoftware && base64Bytes === undefined) cx.losses.add(`${at}raw`);
  return base64Bytes ? Buffer.from(raw, 'latin1').toString('base64') : raw;
}
