import { testPages } from './run-blocks.ts';

/** Pages whose readers have installed the package. Guides are in `guides.test.ts`, so that both can run at the same time. */
const pages = [
  'docs/index.md',
  'docs/get-started.md',
  'docs/concepts/generations.md',
  'docs/concepts/tasks.md',
  'docs/migrating.md',
  'docs/guides/production.md',
  'docs/operate/admin.md',
  'docs/operate/console.md',
  'docs/operate/push.md',
  'docs/operate/signed-cards.md',
];
testPages(pages, { installed: true });

// Their readers have a checkout.
testPages(['docs/operate/reloading.md', 'docs/reference/spec-updates.md']);
