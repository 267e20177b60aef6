import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { A2AError, type ErrorKind } from '../../src/core/errors.ts';
import type { CodecContext, Dialect } from '../../src/dialects/dialect.ts';
import { createDialects } from '../../src/dialects/registry.ts';
import { api } from '../../src/gen/a2a-v1/index.ts';
import type { StreamResponse } from '../../src/gen/a2a-v1/types.ts';
import { decodeSse, encodeSse } from '../../src/wire/sse.ts';

/**
 * Bytes in, bytes out. A file under `test/golden/{dialect}` holds a list of frames as real peers or the documents write
 * them (`source` says which), what they mean in v1, and how we write the same.
 */
interface Golden {
  readonly name: string;
  /** `request` and `result` of the method `of`, a `stream` of it, a standing `type`, or the `error` of the kind `of`. */
  readonly kind: 'request' | 'result' | 'stream' | 'type' | 'error';
  readonly of: string;
  readonly source: string;
  /** What is read; of a stream, the event stream's text. */
  readonly in: string;
  /** What it is in v1; ids that are made up on reading are left out. */
  readonly v1: unknown;
  /** What is written for it, where that is not the same text. */
  readonly out?: string;
}

const context = (): CodecContext => ({ losses: new Set(), taskId: 'task-abc-123' });
const root = new URL('../golden/', import.meta.url);

async function readStream(text: string, dialect: Dialect, method: string): Promise<StreamResponse[]> {
  const face = dialect.jsonrpc;
  const decoder = face?.methods.get(method)?.stream?.decoder(context());
  async function* bytes() {
    yield new TextEncoder().encode(text);
  }
  const events: StreamResponse[] = [];
  for await (const { event, data } of decodeSse(bytes())) {
    const parsed = JSON.parse(data) as { result?: unknown };
    const payload = face?.stream.enveloped ? parsed.result : parsed;
    events.push(...(decoder?.decode({ ...(event && { event }), data: payload }) ?? []));
  }
  return events;
}

function writeStream(events: readonly StreamResponse[], dialect: Dialect, method: string): string {
  const face = dialect.jsonrpc;
  const encoder = face?.methods.get(method)?.stream?.encoder(context());
  const frames = events.flatMap((event, at) => [
    ...(encoder?.encode({ seq: at + 1, at: 0, event, json: JSON.stringify(event) }) ?? []),
  ]);
  const wrap = (data: string) => (face?.stream.enveloped ? `{"jsonrpc":"2.0","id":1,"result":${data}}` : data);
  return [...frames, ...(encoder?.end?.() ?? [])]
    .map((frame) => encodeSse({ ...frame, data: wrap(frame.data) }))
    .join('');
}

/** A frame's meaning, and what is written for that. */
async function there(golden: Golden, dialect: Dialect): Promise<{ v1: unknown; out: string }> {
  const method = dialect.jsonrpc?.methods.get(golden.of);
  if (golden.kind === 'stream') {
    const v1 = await readStream(golden.in, dialect, golden.of);
    return { v1, out: writeStream(v1, dialect, golden.of) };
  }
  const wire: unknown = JSON.parse(golden.in);
  if (golden.kind === 'error') {
    const v1 = dialect.jsonrpc?.error.decode(wire, context());
    const { violations = [], metadata = {} } = v1 ?? {};
    const error = new A2AError(golden.of as ErrorKind, v1?.message, { violations, metadata });
    return {
      v1: { kind: v1?.kind, message: v1?.message },
      out: JSON.stringify(dialect.jsonrpc?.error.encode(error, context())),
    };
  }
  const codec = golden.kind === 'type' ? dialect.types[golden.of] : method?.[golden.kind];
  if (!codec) throw new Error(`${golden.of} has no ${golden.kind}`);
  const v1 = codec.decode(wire, context());
  return { v1, out: JSON.stringify(codec.encode(v1 as never, context())) };
}

for (const dialect of createDialects(api).list) {
  describe(`golden frames of ${dialect.name}`, () => {
    const folder = new URL(`${dialect.name}/`, root);
    const goldens = readdirSync(folder).flatMap(
      (file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Golden[],
    );
    test.each(goldens.map((golden) => [`${golden.kind} ${golden.of}: ${golden.name}`, golden] as const))(
      '%s',
      async (_title, golden) => {
        const { v1, out } = await there(golden, dialect);
        expect(JSON.parse(JSON.stringify(v1))).toMatchObject(golden.v1 as object);
        expect(out).toBe(golden.out ?? golden.in);
      },
    );
  });
}
