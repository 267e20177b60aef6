import { createServer } from 'node:http';
import type { GuardQuestion, GuardVerdict } from '../../src/index.ts';

// A judge in a process of its own, in front of a moderation API of OpenAI's form: POST { model, input } with a bearer token, and
// an answer { results: [{ flagged, categories }] }. Other services of this kind differ in `moderate` alone.

const { MODERATION_URL = 'https://api.openai.com/v1/moderations', MODERATION_KEY = '', PORT = '9000' } = process.env;

interface Moderation {
  readonly results: readonly { readonly flagged: boolean; readonly categories: Readonly<Record<string, boolean>> }[];
}

/** The categories for which the service has flagged a text. */
async function moderate(input: string): Promise<string[]> {
  const answer = await fetch(MODERATION_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${MODERATION_KEY}` },
    body: JSON.stringify({ model: 'omni-moderation-latest', input }),
    signal: AbortSignal.timeout(4_000),
  });
  if (!answer.ok) throw new Error(`the moderation service answered with HTTP ${answer.status}`);
  const { results } = (await answer.json()) as Moderation;
  return results.flatMap(({ flagged, categories }) =>
    flagged ? Object.keys(categories).filter((category) => categories[category]) : [],
  );
}

async function judge({ parts, window = '' }: GuardQuestion): Promise<GuardVerdict> {
  const text =
    window + parts.map(({ text: words, data }) => words ?? (data === undefined ? '' : JSON.stringify(data))).join('\n');
  if (text.trim() === '') return { action: 'allow' };
  const categories = await moderate(text);
  return categories.length > 0 ? { action: 'block', reason: categories.join(', ') } : { action: 'allow' };
}

const server = createServer(async (req, res) => {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const verdict = await judge(JSON.parse(Buffer.concat(chunks).toString()));
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(verdict));
  } catch (error) {
    // The gateway does what `onError` says.
    console.error(error);
    res.writeHead(503).end();
  }
});
server.listen(Number(PORT), 'localhost', () => console.log(`judging at http://localhost:${PORT}`));
process.once('SIGTERM', () => server.close());
