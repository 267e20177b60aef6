import { artifact, defineAgent } from '../../../src/agents/define.ts';

const pattern = Buffer.from(Array.from({ length: 256 }, (_, at) => at));

/** Answers with a file of 20 MB, or of 2 MB. */
export default defineAgent({
  name: 'Large files',
  description: 'Answers with a file of 20 MB, or of 2 MB.',
  async *execute({ text }) {
    const raw = Buffer.alloc(text === 'small file' ? 2_000_000 : 20_000_000, pattern).toString('base64');
    yield artifact({ content: [{ raw, filename: 'large.bin', mediaType: 'application/octet-stream' }] });
  },
});
