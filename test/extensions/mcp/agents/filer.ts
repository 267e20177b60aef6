import { artifact, defineAgent } from '../../../../src/index.ts';

/** Gives files of all sorts. */
export default defineAgent({
  name: 'Filer',
  description: 'Has files.',
  async *execute({ text }) {
    if (text === 'large') {
      const raw = Buffer.alloc(2 << 20).toString('base64');
      yield artifact({
        name: 'large',
        content: [{ raw, filename: 'large.bin', mediaType: 'application/octet-stream' }],
      });
      return;
    }
    yield artifact({
      name: 'files',
      content: [
        { text: 'Here you are.' },
        { raw: Buffer.from('a note').toString('base64'), filename: 'note.txt', mediaType: 'text/plain' },
        { raw: 'AAAA', mediaType: 'audio/wav' },
        { raw: 'AAAA' },
        { url: 'https://example.com/a/b.pdf?x=1' },
      ],
    });
  },
});
