import { setTimeout as delay } from 'node:timers/promises';
import { artifact, defineAgent, status } from '../../../src/agents/define.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import type { GuardJudge } from '../../../src/index.ts';
import { Random } from '../../support/random.ts';

/** A word that no answer may have: the judge blocks it, also where an agent cuts it in two. */
export const secret = 'xyzzy';

export const guardedAgent = 'guarded';

/** Characters before a chunk that the judge gets with it. */
export const guardWindow = secret.length;

/** Words of an answer, which has the secret at times, in chunks that end anywhere. */
export function whisperOf(seed: number): readonly string[] {
  const random = new Random(seed ^ 0x3_15e7);
  const words = Array.from({ length: random.between(3, 12) }, (_, at) => `word${at}`);
  if (random.chance(0.4)) words.splice(random.between(0, words.length), 0, secret);
  const text = words.join(' ');
  const chunks: string[] = [];
  for (let from = 0; from < text.length; ) {
    const length = random.between(1, 9);
    chunks.push(text.slice(from, from + length));
    from += length;
  }
  return chunks;
}

/** An agent that answers `whisper N` with the words of the number, chunk by chunk. It may be given a message again. */
export const defineWhispers = (): Agent =>
  defineAgent({
    name: guardedAgent,
    description: 'Whispers.',
    restart: true,
    async *execute({ text, signal }) {
      yield status('TASK_STATE_WORKING');
      for (const [at, content] of whisperOf(Number(text.split(' ')[1])).entries()) {
        yield artifact({ artifactId: 'whisper', content, append: at > 0 });
        if (at % 3 === 0) await delay(10, undefined, { signal });
      }
      yield status('TASK_STATE_COMPLETED');
    },
  });

/** Takes longer for some texts than for others, so that verdicts come out of order. */
const judge: GuardJudge = async ({ parts, window = '' }, { signal }) => {
  const text = window + parts.map((part) => part.text ?? '').join('');
  let sum = 0;
  for (const character of text) sum = (sum * 31 + character.charCodeAt(0)) % 211;
  await delay(sum, undefined, { signal });
  return text.includes(secret) ? { action: 'block', reason: 'a secret' } : { action: 'allow' };
};
export default judge;
