import { dirname, resolve } from 'node:path';
import { loadUserModule } from '../../agents/user-module.ts';
import { A2AError } from '../../core/model/errors.ts';
import { longestTimer, unlessAborted } from '../../core/model/timing.ts';
import type { TraceContext } from '../../core/telemetry/trace-context.ts';
import type { GuardConfig } from '../../gen/settings.ts';
import type { HttpClient } from '../../net/http-client.ts';
import type { GuardJudge, GuardQuestion } from './model.ts';

/** Asks a judge. Resolves with its answer, which was not read. Rejects where there is none within the guard's time. */
export type AskJudge = (question: GuardQuestion, trace: TraceContext, signal: AbortSignal) => Promise<unknown>;

/** Bytes that an answer may have besides as many as the question has. */
const answerBytes = 1024 * 1024;

export interface JudgeDeps {
  readonly http: HttpClient;
  /** Folder for relative paths. */
  readonly folder: string;
}

/** Folder of a configuration's relative paths. */
export const folderOf = (file: string | undefined): string => (file === undefined ? process.cwd() : dirname(file));

/** The judge of a guard. Rejects with an A2AError that says what is wrong with its module. */
export async function openJudge({ name, url, authentication, module, timeout }: GuardConfig, deps: JudgeDeps) {
  if (url === undefined) {
    const path = resolve(deps.folder, module ?? '');
    return judgeInProgram(await loadJudge(`The guard ${name} (${path})`, path), timeout);
  }
  return judgeOutside(deps.http, {
    url: new URL(url),
    timeout,
    ...(authentication && { credentials: `${authentication.scheme} ${authentication.credentials.reveal()}` }),
  });
}

async function loadJudge(what: string, path: string): Promise<GuardJudge> {
  const { default: exported } = await loadUserModule(what, path);
  if (typeof exported === 'function') return exported as GuardJudge;
  const advice = 'write `export default (question) => ({ action: "allow" })`';
  throw new A2AError('internal', `${what} exports no function by default; ${advice}.`);
}

interface Outside {
  readonly url: URL;
  readonly timeout: number;
  readonly credentials?: string;
}

/** A judge elsewhere: a POST without redirects. The operator chose its URL, so no guard of URLs applies. */
const judgeOutside =
  (http: HttpClient, { url, timeout, credentials }: Outside): AskJudge =>
  async (question, trace, signal) => {
    const body = JSON.stringify(question);
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(credentials !== undefined && { authorization: credentials }),
      ...trace,
    };
    const answer = await http.request({ method: 'POST', url, headers, body, signal, timeout });
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

/** A judge in this process. One that goes on after its time is not waited for. */
const judgeInProgram =
  (judge: GuardJudge, timeout: number): AskJudge =>
  async (question, _, signal) => {
    // Its own copy: what it changes in it changes nothing.
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
