/** `npm run docs` and `npm run docs:dev`: installs what the documentation site is built with, and builds or serves it. */
import { installTools } from './tools.ts';

await installTools('site');
// Not followed by the type check: the site has one of its own, which needs its packages.
await import(new URL('../tools/site/build.ts', import.meta.url).href);
