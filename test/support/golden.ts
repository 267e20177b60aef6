import { readdirSync, readFileSync } from 'node:fs';
import type { PeerSoftware } from '../../src/core/model/call.ts';
import type { FrameType, TranslateOptions } from '../../src/dialects/translate/index.ts';

/**
 * Bytes in, bytes out. A file under `test/golden/{dialect}` holds a list of frames as real peers or the documents write
 * them (`source` says which), what they mean in v1, and how we write the same.
 */
export interface Golden {
  readonly name: string;
  /** The binding of the frame; JSON-RPC by default. `of` is then the name of an rpc. */
  readonly face?: 'rest' | 'grpc';
  /** Of a request over HTTP+JSON, verb and path; `in` and `out` are its body. */
  readonly http?: string;
  /** `request` and `result` of the method `of`, a `stream` of it, a standing `type`, or the `error` of the kind `of`. */
  readonly kind: 'request' | 'result' | 'stream' | 'type' | 'error';
  readonly of: string;
  readonly source: string;
  /** Text to read; of a stream, the event stream's text, or over gRPC the list of its messages in ProtoJSON. */
  readonly in: string;
  /** Meaning in v1, without ids that are generated on reading. */
  readonly v1: unknown;
  /** Text that is written for it, if it is not the same. */
  readonly out?: string;
  /** The software that wrote the frame, and that reads ours, where that makes a difference. */
  readonly counterpart?: PeerSoftware;
}

const root = new URL('../golden/', import.meta.url);

/** The dialects that have golden frames. */
export const goldenDialects = readdirSync(root);

/** The golden frames of one dialect. */
export const goldensOf = (dialect: string): Golden[] =>
  readdirSync(new URL(`${dialect}/`, root)).flatMap((file) =>
    JSON.parse(readFileSync(new URL(`${dialect}/${file}`, root), 'utf8')),
  );

/** A golden frame as the text that is translated. */
export const textOf = ({ http, kind, in: text }: Golden): string =>
  http !== undefined && kind === 'request' ? `${http}\n\n${text}` : text;

/** Returns all statements about a golden frame. */
export function statedOf(dialect: string, { face, kind, of, http }: Golden): TranslateOptions & { type: FrameType } {
  const type = kind === 'type' ? of : kind === 'request' && http === undefined ? 'params' : kind;
  return {
    from: dialect,
    type: type as FrameType,
    ...(face && { binding: face }),
    ...(kind !== 'type' && kind !== 'error' && { method: of }),
  };
}

/** A translation without the ids that were made up for it, which have the time in them, and without times of now. */
export function withoutMadeUp(translation: object): unknown {
  const isNow = (time: number): boolean => Math.abs(time - Date.now()) < 600_000;
  const text = JSON.stringify(translation)
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) =>
      isNow(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)) ? 'made up' : id,
    )
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (time) => (isNow(Date.parse(time)) ? 'now' : time));
  return JSON.parse(text);
}
