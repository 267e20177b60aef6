import { text as readAll } from 'node:stream/consumers';
import { A2AError } from '../../core/model/errors.ts';
import { defined } from '../../core/model/json.ts';
import { requireLossless } from '../../dialects/kernel/calls.ts';
import { createDialects } from '../../dialects/registry.ts';
import {
  type FrameBinding,
  type FrameType,
  frameBindings,
  frameTypes,
  type Translated,
  translateFrame,
} from '../../dialects/translate/index.ts';
import { UsageError } from '../exit-code.ts';
import { readInput } from '../input.ts';
import type { Output } from '../output.ts';

export interface TranslateOptions {
  readonly from: string;
  readonly to?: string;
  readonly type?: string;
  readonly method?: string;
  readonly binding?: string;
  readonly explain?: boolean;
  readonly strict?: boolean;
}

/**
 * `a2a-gateway translate`: converts one frame from one dialect to another, or to all others, with the definitions that
 * the gateway itself uses. With `--explain`, losses are listed on stderr; with `--strict`, they are an error.
 */
export async function translate(file: string | undefined, options: TranslateOptions, output: Output): Promise<void> {
  const dialects = createDialects();
  const { from, to, method, explain = false, strict = false } = options;
  const names = dialects.list.map(({ name }) => name);
  if (from !== 'auto') oneOf('--from', from, names);
  if (to !== undefined && to !== 'all') oneOf('--to', to, names);
  const type = options.type as FrameType | undefined;
  if (type !== undefined) oneOf('--type', type, frameTypes);
  const binding = options.binding as FrameBinding | undefined;
  if (binding !== undefined) oneOf('--binding', binding, frameBindings);
  const fromStdin = file === undefined || file === '-';
  const text = fromStdin ? await readAll(process.stdin) : (await readInput(file)).toString('utf8');
  const hints = { from: from === 'auto' ? undefined : from, to: to && to !== 'all' ? [to] : undefined };
  const { source, translated } = translateFrame(dialects, text, defined({ ...hints, type, binding, method }));
  if (explain && (from === 'auto' || type === undefined)) {
    output.note(
      `read as ${source.type}${source.method === undefined ? '' : ` of ${source.method}`} in ${source.dialect}`,
    );
  }
  if (strict) {
    if (explain) for (const one of translated) explainLosses(one, output);
    for (const one of translated) requireLossless(lost(one, explain), one.dialect);
  }
  const [only] = translated;
  if (to !== undefined && to !== 'all' && only) {
    if (only.text === undefined) throw new A2AError('unsupportedOperation', only.error);
    output.print(`${only.text}\n`);
  } else for (const one of translated) output.print(section(one));
  if (explain && !strict) for (const one of translated) explainLosses(one, output);
}

function oneOf(flag: string, value: string, known: readonly string[]): void {
  if (!known.includes(value)) throw new UsageError(`${flag}: expected one of ${known.join(', ')}`);
}

/** Returns the losses that `--strict` refuses: those that matter to readers, and with `--explain` all that it lists. */
const lost = ({ losses }: Translated, explain: boolean): Set<string> =>
  new Set(losses.flatMap(({ path, missed }) => (missed || explain ? [path] : [])));

const section = ({ dialect, method, text, error }: Translated): string =>
  `# ${dialect}${method === undefined ? '' : ` ${method}`}\n${text ?? `# ${error}`}\n\n`;

function explainLosses({ dialect, text, losses }: Translated, output: Output): void {
  if (text === undefined) return;
  if (losses.length === 0) output.note(`nothing is lost in ${dialect}`);
  for (const { path } of losses) output.note(`lost in ${dialect}: ${path}`);
}
