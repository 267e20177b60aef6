/** Translates in a thread of its own, so that no frame, however large or odd, stops the page. */
import { A2AError } from '../../../../../core/model/errors.ts';
import { createDialects } from '../../../../../dialects/kernel/registry.ts';
import { frameTypes, methodsOf } from '../../../../../dialects/translate/frame.ts';
import { type TranslateOptions, type Translation, translateFrame } from '../../../../../dialects/translate/index.ts';

export interface Question {
  readonly id: number;
  readonly text: string;
  readonly options: TranslateOptions;
}

export interface Answer {
  readonly id: number;
  readonly translation?: Translation;
  /** Names of the methods of the frame's dialect over its binding. */
  readonly methods?: readonly string[];
  /** Names of all dialects, and of all types of frames. */
  readonly dialects?: readonly string[];
  readonly types?: readonly string[];
  /** Why there is no translation. */
  readonly error?: string;
}

const dialects = createDialects();

function answer({ id, text, options }: Question): Answer {
  try {
    const translation = translateFrame(dialects, text, options);
    const { dialect, binding } = translation.source;
    const protocol = dialects.protocols.find(({ name }) => name === dialect);
    const methods = protocol ? methodsOf(protocol, binding).map(({ name }) => name) : [];
    return { id, translation, methods };
  } catch (thrown) {
    const error = A2AError.from(thrown);
    return { id, error: error.message };
  }
}

const lists = { dialects: dialects.list.map(({ name }) => name), types: frameTypes };

addEventListener('message', ({ data }: MessageEvent<Question>) => postMessage({ ...answer(data), ...lists }));
