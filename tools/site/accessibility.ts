import type { UserConfig } from 'vitepress';

type Plugin = Extract<NonNullable<NonNullable<UserConfig['vite']>['plugins']>[number], { name: string }>;
type Markdown = Parameters<NonNullable<NonNullable<UserConfig['markdown']>['config']>>[0];

/** Changes of VitePress's components, by the end of their path: what is there, and what is to be there. */
const changes: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  // Pages without a sidebar have no main landmark.
  'components/VPHome.vue': [
    [/<div(?=\s+class="VPHome")/, '<main'],
    [/<\/div>(?=\s*<\/template>\s*<style)/, '</main>'],
  ],
  'theme-default/NotFound.vue': [
    [/<div(?= class="NotFound")/, '<main'],
    [/<\/div>(?=\s*<\/template>\s*<style)/, '</main>'],
  ],
  // Its label is not its text, which names the keys too.
  'components/VPNavBarSearchButton.vue': [[/:aria-label="[^"]*"/, '']],
  // The search is a button that contains buttons, and its results are options that contain links.
  'components/VPLocalSearchBox.vue': [
    [
      /role="button"\s+:aria-owns="[^"]*"\s+aria-expanded="true"\s+aria-haspopup="listbox"/,
      'role="dialog" aria-modal="true"',
    ],
    [/:id="'localsearch-item-' \+ index"\s+:aria-selected="[^"]*"\s+role="option"/, 'role="presentation"'],
    [/<kbd(?= :aria-label="translate\('modal\.footer\.navigateUp)/, '<kbd role="img"'],
    [/<kbd(?= :aria-label="translate\('modal\.footer\.navigateDown)/, '<kbd role="img"'],
    [/<kbd(?= :aria-label="translate\('modal\.footer\.selectKey)/, '<kbd role="img"'],
    [
      /:aria-label="\[\.\.\.p\.titles, p\.title\]\.join\(' > '\)"/,
      `:id="'localsearch-item-' + index" :aria-selected="selectedIndex === index ? 'true' : 'false'" role="option"`,
    ],
  ],
};

/** Gives VitePress's components the roles that assistive technology needs. Fails when a component is another one. */
export const accessibleComponents: Plugin = {
  name: 'accessible-components',
  enforce: 'pre',
  transform(code, id) {
    const [, list] = Object.entries(changes).find(([path]) => id.endsWith(path)) ?? [];
    if (!list) return undefined;
    return list.reduce((text, [before, after]) => {
      if (!before.test(text)) throw new Error(`${id} has no ${before}`);
      return text.replace(before, after);
    }, code);
  },
};

/** Makes empty cells in the head of tables plain cells: a header without a text confuses readers of screens. */
export function plainEmptyHeaders(markdown: Markdown): void {
  markdown.core.ruler.push('plain-empty-headers', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== 'th_open' || tokens[index + 1]?.content !== '') continue;
      token.tag = 'td';
      const close = tokens[index + 2];
      if (close) close.tag = 'td';
    }
  });
}
