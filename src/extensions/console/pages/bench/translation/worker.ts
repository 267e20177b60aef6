/** Translates in a thread of its own, so that no frame, however large or odd, stops the page. */
import { A2AError } from '../../../../../core/model/errors.ts';
import { createDialects } from '../../../../../dialects/registry.ts';
import { frameTypes, methodsOf } from '../../../../../dialects/translate/frame.ts';
import { type TranslateOptions, type Translation, translateFrame } from '../../../../../dialects/translate/index.ts';

export interface Question {
  readonly text: string;
  readonly options: TranslateOptions;
}

/** Names of all dialects, of all types of frames, and of the methods of the frame's dialect over its binding. */
export interface Lists {
  readonly dialects: readonly string[];
  readonly types: readonly string[];
  readonly methods: readonly string[];
}

export interface Answer {
  readonly lists: Lists;
  readonly translation?: Translation;
  /** Reason why there is no translation. */
  readonly error?: string;
}

const dialects = createDialects();
const lists: Lists = { dialects: dialects.list.map(({ name }) => name), types: frameTypes, methods: [] };

function answer({ text, options }: Question): Answer {
  try {
    const translation = translateFrame(dialects, text, options);
    const { dialect, binding } = translation.source;
    const protocol = dialects.protocols.find(({ name }) => name === dialect);
    const methods = protocol ? methodsOf(protocol, binding).map(({ name }) => name) : [];
    return { lists: { ...lists, methods }, translation };
  } catch (thrown) {
    return { lists, error: A2AError.from(thrown).message };
  }
}

addEventListener('message', ({ data }: MessageEvent<Question>) => postMessage(answer(data)));
