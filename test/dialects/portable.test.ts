import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { type Plugin, rolldown } from 'rolldown';
import { beforeAll, expect, test } from 'vitest';
import { withoutServerCode } from '../../scripts/portable.ts';
import { createDialects } from '../../src/dialects/registry.ts';
import { type TranslateOptions, translateFrame } from '../../src/dialects/translate/index.ts';
import { goldenDialects, goldensOf, statedOf, textOf, withoutMadeUp } from '../support/golden.ts';

const root = new URL('../../', import.meta.url);

/** Code that a web page would run. */
const page = `
import { createDialects } from './src/dialects/registry.ts';
import { translateFrame } from './src/dialects/translate/index.ts';
const dialects = createDialects();
globalThis.translate = (text, options) => JSON.stringify(translateFrame(dialects, text, JSON.parse(options)));
`;

const entry = fileURLToPath(new URL('page.ts', root));
const sources: Plugin = {
  name: 'page',
  resolveId: (id) => (id === 'page' ? entry : null),
  load: (id) => (id === entry ? page : null),
};

let code: string;
beforeAll(async () => {
  const plugins = [sources, withoutServerCode() as Plugin];
  const build = await rolldown({ input: 'page', cwd: fileURLToPath(root), platform: 'browser', plugins });
  const { output } = await build.generate({ format: 'iife', minify: true, codeSplitting: false });
  await build.close();
  code = output.map((file) => (file.type === 'chunk' ? file.code : '')).join('');
});

test('dialects need nothing of Node, and are not large', () => {
  expect(code).not.toMatch(/\brequire\(|["']node:(?!crypto)/);
  expect(code.length).toBeLessThan(600_000);
});

test('a sample of the golden frames is translated with what browsers have', () => {
  const { atob, btoa, crypto, structuredClone, TextDecoder, TextEncoder, URL, URLSearchParams } = globalThis;
  const browser = { atob, btoa, crypto, structuredClone, TextDecoder, TextEncoder, URL, URLSearchParams };
  const context = createContext({ ...browser });
  runInContext(code, context);
  const translate = runInContext('translate', context) as (text: string, options: string) => string;
  const dialects = createDialects();
  for (const dialect of goldenDialects) {
    // Each fourth: what a browser lacks is missing for many of them.
    for (const golden of goldensOf(dialect).filter((_, at) => at % 4 === 0)) {
      const [text, options] = [textOf(golden), statedOf(dialect, golden) as TranslateOptions];
      const there = JSON.parse(translate(text, JSON.stringify(options)));
      expect(withoutMadeUp(there)).toEqual(withoutMadeUp(translateFrame(dialects, text, options)));
    }
  }
});
