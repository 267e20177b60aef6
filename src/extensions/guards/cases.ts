import * as z from 'zod';
import { anything, oneOf, section, text } from '../../config/schema-parts.ts';
import { checkGuardForms, guards } from '../../config/sections/guards.ts';
import type { Part } from '../../core/model/a2a.ts';
import type { Ask } from '../../core/model/ask.ts';
import type { GuardConfig } from '../../gen/settings.ts';
import { createHttpClient } from '../../net/http-client.ts';
import {
  configOf,
  type FileProblem,
  mismatchOf,
  type Read,
  readAs,
  readCases,
  readSection,
  runCases,
} from '../case-file.ts';
import type { CommandTools } from '../command.ts';
import { callOfCase } from '../conditions/call-schema.ts';
import { plainFacts } from '../conditions/facts.ts';
import { Chain } from './chain.ts';
import { VerdictCounts } from './counts.ts';
import { applies, Blocked, compileWhere, type Guard, Guards } from './guards.ts';
import { openGuards } from './judges.ts';
import { type Mark, textOf } from './model.ts';

const caseOf = section('a case', () => ({
  name: text('a text'),
  phase: oneOf('request', 'answer').prefault('request'),
  call: callOfCase.prefault({}),
  text: z.string(anything('a text')).optional(),
  parts: z.array(z.custom<Part>(), anything('a list of parts')).optional(),
  chunks: z.array(z.string(), anything('a list of texts')).optional(),
  expect: oneOf('allow', 'block', 'replace', 'ask'),
  guard: text('the name of a guard').optional(),
  result: z.string(anything('a text')).optional(),
}));

type GuardCase = z.output<typeof caseOf>;

/**
 * `a2a-gateway guard test`: has the guards of a configuration judge each case of a file, and fails where one is judged otherwise.
 * Nothing else of the configuration is read.
 */
export async function guardTest(path: string, options: { readonly config?: string }, { output }: CommandTools) {
  const { config, cases } = await readCases(path, caseOf);
  const configured = configOf(path, config, options.config);
  const given = await readSection(configured, 'guards', readGuards);
  const http = createHttpClient();
  try {
    const { conditions } = compileWhere(given);
    const all = await openGuards(given, conditions, configured, http);
    await runCases(cases, (one) => failureOf(one, all), output);
  } finally {
    http.close();
  }
}

/** Reads the guards from the section of a configuration. */
function readGuards(content: unknown): Read<GuardConfig[]> {
  const read = readAs(guards, content ?? [], ['guards']);
  if (read.problems) return read;
  const problems: FileProblem[] = [];
  checkGuardForms(read.value, (at, message) => problems.push({ path: ['guards', ...at], message }));
  if (problems.length === 0) problems.push(...compileWhere(read.value).problems);
  return problems.length > 0 ? { problems } : read;
}

/**
 * Returns the fault of a case: the verdict that differs from the expected one. If the case names a guard in shadow, that guard
 * judges.
 */
async function failureOf(one: GuardCase, all: readonly Guard[]): Promise<string | undefined> {
  const { call, expect, guard } = one;
  if (guard !== undefined && !all.some(({ name }) => name === guard)) return `there is no guard ${guard}`;
  const facts = plainFacts(call as Parameters<typeof plainFacts>[0]);
  const list = all
    .filter(({ name, shadow }) => !shadow || name === guard)
    .filter((each) => applies(each, facts))
    .map((each) => ({ ...each, shadow: false }));
  const { outcome, by, said } = await judged(one, list);
  const mismatch = mismatchOf({ expect, by: guard }, outcome, by === undefined ? [] : [by], 'guard');
  if (mismatch !== undefined) return mismatch;
  const hasOther = one.result !== undefined && one.result !== said;
  return hasOther ? `expected the text ${JSON.stringify(one.result)}, and it was ${JSON.stringify(said)}` : undefined;
}

/** Returns the parts of a case after all guards, and the first guard that asked or changed something. */
async function judged({ phase, call, text: whole = '', parts, chunks }: GuardCase, list: readonly Guard[]) {
  const nothing = (): void => {};
  const set = new Guards(list, {
    audit: nothing,
    logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    counts: new VerdictCounts(),
    agents: { get: () => undefined },
    store: { findRecord: async () => undefined },
    revalidate: (principal) => principal,
    pathOf: () => [],
  });
  const { agent = '', skill = '', tenant = '', caller } = call as Partial<Record<string, string>>;
  const { id: principal = 'anonymous' } = (caller ?? {}) as { readonly id?: string };
  const subject = { agent, skill, tenant, principal, taskId: '', contextId: '', trace: {} };
  const chain = new Chain(list, { guards: set, phase, subject, signal: new AbortController().signal });
  const pieces = chunks ? chunks.map((one) => [{ text: one }]) : [parts ?? [{ text: whole }]];
  const asks: Ask[] = [];
  const marks: Mark[] = [];
  let said = '';
  try {
    for (const [at, piece] of pieces.entries()) {
      const left = await chain.judge({ parts: piece, append: at > 0, ...(chunks && { artifactId: 'artifact' }) });
      said += textOf(left.parts);
      asks.push(...left.asks);
      marks.push(...left.marks);
    }
  } catch (thrown) {
    if (!(thrown instanceof Blocked)) throw thrown;
    return { outcome: 'block', by: thrown.guard, said };
  }
  const [ask] = asks;
  const [mark] = marks;
  if (ask) return { outcome: 'ask', by: ask.by.replace('guard ', ''), said };
  return { outcome: mark ? 'replace' : 'allow', by: mark?.guard, said };
}
