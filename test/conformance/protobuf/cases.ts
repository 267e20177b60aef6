import { fileURLToPath } from 'node:url';
import type { Answer, Case } from './codec.ts';

/** Cases of protobuf's conformance suite that the codec passes, recorded with its answers. */

export const cases: string = fileURLToPath(new URL('cases.jsonl', import.meta.url));
export const descriptors: string = fileURLToPath(new URL('descriptors.binpb', import.meta.url));

/** Bytes are base64; an error is only its kind, since its words are the codec's own. */
export interface Row {
  readonly name: string;
  readonly type: string;
  readonly protobuf?: string;
  readonly json?: string;
  readonly to: string;
  readonly answer: object;
}

export function rowOf(name: string, read: Case, answer: Answer): Row {
  const { protobufPayload, jsonPayload, requestedOutputFormat: to = '', messageType: type } = read;
  const input = protobufPayload ? { protobuf: base64(protobufPayload) } : { json: jsonPayload ?? '' };
  return { name, type, ...input, to, answer: answerOf(answer) };
}

export function caseOf({ type, protobuf, json = '', to }: Row): Case {
  const input = protobuf === undefined ? { jsonPayload: json } : { protobufPayload: Buffer.from(protobuf, 'base64') };
  return { ...input, requestedOutputFormat: to as 'JSON', messageType: type };
}

export function answerOf({ protobufPayload, jsonPayload, ...errors }: Answer): object {
  if (protobufPayload) return { protobuf: base64(protobufPayload) };
  if (jsonPayload !== undefined) return { json: JSON.parse(jsonPayload) };
  return { error: Object.keys(errors)[0] };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
