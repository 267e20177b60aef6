import { withBase } from 'vitepress';
import { computed, nextTick, onBeforeUnmount, onMounted, ref, shallowRef, watch } from 'vue';
import { createTranslator } from '../../../../../src/console/pages/translation/translator.ts';
import type { Loss, Source, Translated, TranslateOptions } from '../../../../../src/dialects/translate/index.ts';
import { data as examples } from './examples.data.ts';
import { hashOf, type LinkedState, stateOf } from './link.ts';

/** Milliseconds without a key before a frame is translated. */
const pause = 250;

const bindingNames: Readonly<Record<string, string>> = { jsonrpc: 'JSON-RPC', rest: 'HTTP+JSON', grpc: 'gRPC' };

/** What the reader states about the frame; '' is left to detection. */
interface Stated {
  from: string;
  type: string;
  method: string;
  binding: string;
}

const nothing: Stated = { from: '', type: '', method: '', binding: '' };

/** Characters of a frame that are shown: browsers take seconds to lay out millions. */
const maxShown = 100_000;

const shown = ({ text = '' }: Translated): string => text.slice(0, maxShown);
const hidden = ({ text = '' }: Translated): number => Math.max(0, text.length - maxShown);
const missed = ({ losses }: Translated): readonly Loss[] => losses.filter((loss) => loss.missed);
const unmissed = ({ losses }: Translated): readonly Loss[] => losses.filter((loss) => !loss.missed);
const countOf = ({ length }: readonly Loss[]): string => (length === 1 ? '1 field' : `${length} fields`);

/** Address of the page that says what becomes of each field in a dialect. */
const tableOf = ({ dialect }: Translated): string => withBase(`/dialects/${dialect}.html`);

/** The state of the playground, and what its controls do. */
export function usePlayground() {
  const text = ref('');
  const stated = ref<Stated>({ ...nothing });
  const chosen = ref('');
  const source = shallowRef<Source>();
  const methods = shallowRef<readonly string[]>([]);
  const dialectNames = shallowRef<readonly string[]>([]);
  const typeNames = shallowRef<readonly string[]>([]);
  const translated = shallowRef<readonly Translated[]>([]);
  const error = ref('');
  const busy = ref(false);
  const copied = ref('');
  const isLinkable = ref(true);
  const translator = createTranslator();
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The hash that this page wrote. */
  let written = '';

  const status = computed(() => {
    if (error.value !== '') return '';
    if (busy.value) return 'Translating…';
    if (!source.value) return 'Paste a frame, or choose an example.';
    const { type, method, dialect, binding } = source.value;
    const of = method === undefined ? '' : ` of ${method}`;
    return `Read as ${type}${of} in ${dialect} over ${bindingNames[binding]}.`;
  });

  async function translate(): Promise<void> {
    if (text.value.trim() === '') {
      source.value = undefined;
      translated.value = [];
      error.value = '';
      busy.value = false;
      return;
    }
    busy.value = true;
    const options = Object.fromEntries(Object.entries(stated.value).filter(([, value]) => value !== ''));
    const answer = await translator.translate(text.value, options as TranslateOptions);
    if (!answer) return;
    busy.value = false;
    error.value = answer.error ?? '';
    source.value = answer.translation?.source;
    translated.value = answer.translation?.translated ?? [];
    if (answer.methods) methods.value = answer.methods;
    if (answer.dialects) dialectNames.value = answer.dialects;
    if (answer.types) typeNames.value = answer.types;
  }

  function writeLink(): void {
    const example = examples.find(({ id, text: own }) => id === chosen.value && own === text.value);
    const state: LinkedState = { ...stated.value, ...(example ? { example: example.id } : { text: text.value }) };
    const hash = text.value === '' ? '' : hashOf(state);
    isLinkable.value = text.value === '' || hash !== '';
    if (hash === location.hash) return;
    written = hash;
    history.replaceState(history.state, '', hash === '' ? location.pathname + location.search : hash);
  }

  function readLink(): boolean {
    const state = stateOf(location.hash);
    if (!state || location.hash === written) return false;
    const example = examples.find(({ id }) => id === state.example);
    chosen.value = example?.id ?? '';
    text.value = example?.text ?? state.text ?? '';
    const { from = '', type = '', method = '', binding = '' } = state;
    stated.value = { from, type, method, binding };
    return true;
  }

  function changed(wait: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      writeLink();
      void translate();
    }, wait);
  }

  function choose(id: string): void {
    const example = examples.find((one) => one.id === id);
    if (!example) return;
    chosen.value = id;
    stated.value = { ...nothing };
    text.value = example.text;
  }

  function clear(): void {
    chosen.value = '';
    stated.value = { ...nothing };
    text.value = '';
  }

  async function copy({ dialect, text: own = '' }: Translated): Promise<void> {
    try {
      await navigator.clipboard.writeText(own);
      copied.value = dialect;
    } catch {
      copied.value = '';
      await nextTick();
      // Without access to the clipboard the text is selected, for the reader to copy.
      const block = document.getElementById(`frame-${dialect}`);
      if (block) getSelection()?.selectAllChildren(block);
    }
  }

  /** Puts a translation in the place of the frame. */
  function use({ dialect, text: own = '' }: Translated): void {
    chosen.value = '';
    stated.value = { ...nothing, from: dialect };
    text.value = own;
  }

  watch(text, (_, before) => changed(before === '' ? 0 : pause));
  watch(stated, () => changed(0), { deep: true });
  watch([text, stated], () => {
    copied.value = '';
  });
  onMounted(() => {
    if (!readLink()) choose(examples[0]?.id ?? '');
    addEventListener('hashchange', readLink);
  });
  onBeforeUnmount(() => {
    removeEventListener('hashchange', readLink);
    clearTimeout(timer);
    translator.close();
  });

  const groups = Object.entries(Object.groupBy(examples, ({ dialect }) => dialect));
  const lists = { tableOf, shown, hidden, groups, bindingNames, missed, unmissed, countOf };
  return {
    ...lists,
    text,
    stated,
    chosen,
    source,
    methods,
    dialectNames,
    typeNames,
    translated,
    error,
    busy,
    status,
    copied,
    isLinkable,
    choose,
    clear,
    copy,
    use,
  };
}
