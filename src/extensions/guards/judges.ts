import { dirname, resolve } from 'node:path';
import { loadUserModule } from '../../agents/user-module.ts';
import { A2AError } from '../../core/model/errors.ts';
import { longestTimer, unlessAborted } from '../../core/model/timing.ts';
import type { GuardConfig } from '../../gen/settings.ts';
import type { HttpClient } from '../../net/http-client.ts';
import type { Guard } from './guards.ts';
import type { AskJudge, GuardJudge } from './model.ts';

/** Bytes by which an answer may be larger than its question. */
const answerBytes = 1024 * 1024;

/**
 * Guards with their judges and conditions.
 *
 * @param conditions in the order of the guards
 * @param file path of the configuration
 */
export function openGuards(
  given: readonly GuardConfig[],
  conditions: readonly Guard['where'][],
  file: string | undefined,
  http: HttpClient,
): Promise<Guard[]> {
  const folder = file === undefined ? process.cwd() : dirname(file);
  const open = async (guard: GuardConfig, at: number): Promise<Guard> => {
    return { ...guard, where: conditions[at], ask: await openJudge(guard, folder, http) };
  };
  return Promise.all(given.map(open));
}

/** Opens the judge of a guard. Rejects with an A2AError that names the fault of its module. */
async function openJudge(guard: GuardConfig, folder: string, http: HttpClient): Promise<AskJudge> {
  const { name, url, module = '', timeout } = guard;
  if (url !== undefined) return judgeOutside(http, new URL(url), guard);
  const path = resolve(folder, module);
  return judgeInProgram(await loadJudge(`The guard ${name} (${path})`, path), timeout);
}

async function loadJudge(what: string, path: string): Promise<GuardJudge> {
  const { default: exported } = await loadUserModule(what, path);
  if (typeof exported === 'function') return exported as GuardJudge;
  const advice = 'write `export default (question) => ({ action: "allow" })`';
  throw new A2AError('internal', `${what} exports no function by default; ${advice}.`);
}

/** Asks a judge at a URL by POST without redirects. The operator chose the URL, so the rules for callers' URLs do not apply. */
const judgeOutside =
  (http: HttpClient, url: URL, { timeout, authentication }: GuardConfig): AskJudge =>
  async (asked, trace, signal) => {
    const body = JSON.stringify(asked);
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(authentication && { authorization: `${authentication.scheme} ${authentication.credentials.reveal()}` }),
      ...trace,
    };
    // A question has no effect, so it may be repeated.
    const question = { method: 'POST', url, headers, body, isRepeatable: true };
    const answer = await http.request({ ...question, signal, timeout });
    if (answer.status !== 200) {
      answer.discard();
      throw new Error(`it answered with HTTP ${answer.status}`);
    }
    const bytes = await answer.read(answerBytes + Buffer.byteLength(body));
    try {
      return JSON.parse(bytes.toString());
    } catch (cause) {
      throw new Error('its answer is not JSON', { cause });
    }
  };

/** Asks a judge in this process. A judge that takes too long is not awaited. */
const judgeInProgram =
  (judge: GuardJudge, timeout: number): AskJudge =>
  async (question, _, signal) => {
    // The judge gets a copy, so that it cannot change the question.
    const copy = structuredClone(question);
    const time = new AbortController();
    const late = new Error(`it gave no verdict within ${timeout} ms`);
    const timer = setTimeout(() => time.abort(late), Math.min(timeout, longestTimer));
    const over = AbortSignal.any([signal, time.signal]);
    try {
      return await unlessAborted((async () => judge(copy, { signal: over }))(), over);
    } finally {
      clearTimeout(timer);
    }
  };
