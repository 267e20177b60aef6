import { createServer, type ServerResponse } from 'node:http';
import type { GuardQuestion, GuardVerdict } from '../../../src/extensions/guards/model.ts';
import { bodyOf, listenOn, sendJson } from '../../support/peer.ts';
import { Changes } from '../../support/until.ts';

/** A judge outside of the gateway, as tests need it. */
export interface TestJudge {
  readonly url: string;
  /** Everything that it was asked. */
  readonly asked: GuardQuestion[];
  readonly changes: Changes;
  /** What it answers. A function that gets the response answers by itself. */
  answer: (question: GuardQuestion, res: ServerResponse) => GuardVerdict | Promise<GuardVerdict> | undefined;
  close(): Promise<void>;
}

/** The text of a question's parts. */
export const textIn = ({ parts }: Pick<GuardQuestion, 'parts'>): string => parts.map(({ text = '' }) => text).join('');

/** A judge that blocks a word, and replaces another one. */
export const byWords = (question: GuardQuestion): GuardVerdict => {
  const text = textIn(question);
  if (text.includes('forbidden')) return { action: 'block', reason: 'a forbidden word' };
  if (!text.includes('rude')) return { action: 'allow' };
  return { action: 'replace', reason: 'a rude word', parts: [{ text: text.replaceAll('rude', '****') }] };
};

/** Starts a judge on loopback. */
export async function startJudge(answer: TestJudge['answer'] = byWords): Promise<TestJudge> {
  const changes = new Changes();
  const server = createServer(async (req, res) => {
    const question = JSON.parse(await bodyOf(req)) as GuardQuestion;
    judge.asked.push(question);
    changes.happened();
    const verdict = await judge.answer(question, res);
    if (verdict) sendJson(res, verdict);
  });
  const { origin, close } = await listenOn(server);
  const judge: TestJudge = { url: `${origin}/judge`, asked: [], changes, answer, close };
  return judge;
}
