import { artifact, ask, data, defineAgent, file, status } from '../../../src/index.ts';

/** A red point. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';

/** An SVG that says that it is a PNG, and would run a script. */
export const script =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="globalThis.hacked = 1"><script>hacked = 1</script></svg>';

/** Markup, directions of text and control characters. */
export const hostileWords = '<img src=x onerror="globalThis.hacked=1"> \u202egnp\u202c \u001b[31mred {{constructor}}';

/** Fails for a few reasons, makes files, asks, and says what it should not. */
export default defineAgent({ name: 'Shop', description: 'Sells things' }, async function* ({ text }) {
  const [word, order] = text.split(' ');
  if (word === 'pay') return yield status('TASK_STATE_FAILED', `payment provider answered 402 for order ${order}`);
  if (word === 'ship') return yield status('TASK_STATE_FAILED', 'no courier');
  if (word === 'reject') return yield status('TASK_STATE_REJECTED', hostileWords);
  if (word === 'size') return yield ask('Which size?');
  if (word !== 'report') return yield artifact({ content: data({ sold: text }) });
  for (const part of [
    file('chart.png', Buffer.from(png, 'base64'), 'image/png'),
    file('report.md', '# Report\n\n<b>42</b> rows of quartz', 'text/markdown'),
    file('rows.json', '{"rows": [1, 2]}', 'application/json'),
    file('evil\u202egnp.svg', script, 'image/png'),
    file('../../invoice.pdf.exe', 'MZ\0\u0001', 'application/pdf'),
  ]) {
    yield artifact({ artifactId: `${part.filename}`, content: [part, 'with words such as chrysoprase'] });
  }
});
