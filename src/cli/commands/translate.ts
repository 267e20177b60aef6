import { text as readAll } from 'node:stream/consumers';
import { A2AError, allDialects } from '../../client/index.ts';
import { requireLossless } from '../../dialects/kernel/calls.ts';
import type { CodecContext } from '../../dialects/kernel/codec.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import { parseExactly } from '../../wire/exact-integers.ts';
import { UsageError } from '../exit-code.ts';
import { readInput } from '../input.ts';
import type { Output } from '../output.ts';

export interface TranslateOptions {
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly explain?: boolean;
  readonly strict?: boolean;
}

/**
 * `a2a-gateway translate`: converts one JSON document from one dialect to another, with the definitions that the gateway
 * itself uses. Losses are listed on stderr with `--explain`, and an error with `--strict`.
 */
export async function translate(file: string | undefined, options: TranslateOptions, output: Output): Promise<void> {
  const from = dialectNamed('--from', options.from);
  const to = dialectNamed('--to', options.to);
  const reader = from.types[options.type];
  const writer = to.types[options.type];
  if (!reader || !writer) {
    const shared = Object.keys(from.types).filter((type) => type in to.types);
    throw new UsageError(`--type: expected one of ${shared.join(', ')}`);
  }
  const fromStdin = file === undefined || file === '-';
  const document = parse(fromStdin ? await readAll(process.stdin) : (await readInput(file)).toString('utf8'));
  // An A2A 1.0 document may be a translation, with fields of its first dialect in the metadata.
  const cx = { losses: new Set<string>(), unreported: new Set<string>(), keepsOwn: true } satisfies CodecContext;
  const translated = writer.encode(reader.decode(document, cx), cx);
  if (options.strict === true) requireLossless(cx.losses, to.name);
  output.print(`${JSON.stringify(translated, undefined, 2)}\n`);
  if (options.explain !== true) return;
  const lost = [...cx.losses.union(cx.unreported)].sort();
  if (lost.length === 0) output.note(`nothing is lost in ${to.name}`);
  for (const path of lost) output.note(`lost in ${to.name}: ${path}`);
}

function dialectNamed(flag: string, name: string): Dialect {
  const dialect = allDialects().find((one) => one.name === name);
  if (dialect) return dialect;
  const known = allDialects().map((one) => one.name);
  throw new UsageError(`${flag}: expected one of ${known.join(', ')}`);
}

function parse(text: string): unknown {
  try {
    return parseExactly(text);
  } catch (thrown) {
    throw A2AError.parse(`the document is not valid JSON: ${(thrown as Error).message}`);
  }
}
