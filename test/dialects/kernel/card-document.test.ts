import { expect, test } from 'vitest';
import { cardIn } from '../../../src/dialects/kernel/card-document.ts';

const card = { name: 'n', url: 'http://a.test', skills: [] };
const json = JSON.stringify(card);

test.each([
  ['with a byte order mark', `\uFEFF${json}`],
  ['with a comment before it', `// mine\n${json}`],
  ['with a comma at the end', json.replace(/}$/, ',}')],
  ['with single quotes', json.replaceAll('"', "'")],
  ['behind a warning of PHP', `<b>Warning</b> in x.php\n${json}`],
  ['in a list of one', `[${json}]`],
  ['in an answer of JSON-RPC', `{"jsonrpc":"2.0","id":1,"result":${json}}`],
  ['in another object', `{"agentCard":${json}}`],
  ['as text of JSON', JSON.stringify(json)],
  ['with names in capitals', '{"Name":"n","Url":"http://a.test","Skills":[]}'],
])('a card is read that is %s', (_, text) => {
  expect(cardIn(text)).toEqual(card);
});

test.each([
  ['a page', '<!doctype html><p>Not here'],
  ['a page with JSON of its own', '<!doctype html><script>x = {"props":{"page":1}}</script>'],
  ['a card that is cut off', json.slice(0, -1)],
])('no card is read from %s', (_, text) => {
  expect(cardIn(text)).toBeUndefined();
});
