/** The console's translation in this page, with the examples of the site, and its state in the address. */
import { effect } from '@preact/signals';
import { render } from 'preact';
import { withBase } from 'vitepress';
import { defineComponent, h, onBeforeUnmount, onMounted, ref } from 'vue';
import { nothing, show, stated, text } from '../../../../../src/extensions/console/pages/bench/translation/state.ts';
import translationCss from '../../../../../src/extensions/console/pages/bench/translation/translation.css?inline';
import { Translation } from '../../../../../src/extensions/console/pages/bench/translation/translation.tsx';
import baseCss from '../../../../../src/extensions/console/styles/base.css?inline';
import tokensCss from '../../../../../src/extensions/console/styles/tokens.css?inline';
import uiCss from '../../../../../src/extensions/console/styles/ui.css?inline';
import { Button, Select } from '../../../../../src/extensions/console/ui/index.ts';
import { data } from './examples.data.ts';
import { hashOf, type LinkedState, stateOf } from './link.ts';

/** Milliseconds without a key before the address is written. */
const pause = 250;

/** Here the theme and the ground are those of the site. */
const css = [tokensCss, baseCss, uiCss, translationCss, ':host { color-scheme: inherit; background: none }'].join('\n');

const examples = data.map(({ dialect, title, ...example }) => ({ ...example, title: `${dialect}: ${title}` }));

const fieldsAt = (dialect: string): string => withBase(`/dialects/${dialect}.html`);

/** Shows what the address holds; without anything, what was shown before, or else the first example. */
function readAddress(): void {
  const state = stateOf(location.hash);
  if (!state && text.peek() !== '') return;
  const linked: LinkedState = state ?? { example: examples[0]?.id ?? '' };
  const example = examples.find(({ id }) => id === linked.example);
  const { from, type, method, binding } = { ...nothing, ...linked };
  show(example?.text ?? linked.text ?? '', { from, type, method, binding });
}

/** Writes the address. Returns whether the frame fits into it. */
function writeAddress(): boolean {
  const [frame, about] = [text.peek(), stated.peek()];
  const example = examples.find((one) => one.text === frame);
  const hash = frame === '' ? '' : hashOf({ ...about, ...(example ? { example: example.id } : { text: frame }) });
  if (hash !== location.hash) history.replaceState(history.state, '', hash || location.pathname + location.search);
  return frame === '' || hash !== '';
}

/** In a shadow tree, so that the styles of the site and of the console do not meet. */
export default defineComponent({
  setup() {
    const host = ref<HTMLElement>();
    const isLinkable = ref(true);
    let close = (): void => {};
    onMounted(() => {
      const root = host.value?.attachShadow({ mode: 'open' });
      if (!root) return;
      readAddress();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const stop = effect(() => {
        text.value;
        stated.value;
        clearTimeout(timer);
        timer = setTimeout(() => {
          isLinkable.value = writeAddress();
        }, pause);
      });
      addEventListener('hashchange', readAddress);
      render(
        <div class="stack">
          <style>{css}</style>
          <div class="row">
            <Select
              label="Example"
              hideLabel
              value=""
              none="Example…"
              options={examples.map(({ id, title }) => ({ value: id, label: title }))}
              onChange={(id) => show(examples.find((one) => one.id === id)?.text ?? '', nothing)}
            />
            <Button onClick={() => show('', nothing)}>Clear</Button>
          </div>
          <Translation fieldsAt={fieldsAt} />
        </div>,
        root,
      );
      close = () => {
        removeEventListener('hashchange', readAddress);
        stop();
        clearTimeout(timer);
        render(null, root);
      };
    });
    onBeforeUnmount(() => close());
    const hint = 'This frame is too long for the address of the page: it is not in links to it.';
    return () => [h('div', { ref: host, class: 'playground' }), isLinkable.value ? undefined : h('p', hint)];
  },
});
