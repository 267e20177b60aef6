/**
 * `npm run docs` and `npm run docs:dev`: installs the packages of the documentation site, and builds or serves the
 * site.
 */
import { installTools } from './tools.ts';

await installTools('site');
// A dynamic URL, so that the type check skips it: the site has its own type check, which needs its packages.
await import(new URL('../tools/site/build.ts', import.meta.url).href);
