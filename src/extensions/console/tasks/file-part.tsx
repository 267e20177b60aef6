import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { Part } from '../../../core/model/a2a.ts';
import { parsedJson } from '../../../core/model/json.ts';
import { Button, Bytes, Failure, Json, Text } from '../ui/index.ts';
import { visibleLine } from '../ui/visible.ts';
import { type MadeFile, madeFile, safeName } from './made-file.ts';

/** Characters of JSON that are shown as a tree. */
const maxTree = 2_000_000;

/** A file of an agent or a client: named, and opened or saved on demand. A URL is shown, and never loaded. */
export function FilePart({ part, label }: { readonly part: Part; readonly label: string }): JSX.Element {
  const { raw, url, filename = '', mediaType } = part;
  const isOpen = useSignal(false);
  const error = useSignal<unknown>(undefined);
  const read = (use: (file: MadeFile) => void): void => {
    try {
      use(madeFile(raw ?? ''));
      error.value = undefined;
    } catch (thrown) {
      error.value = thrown;
    }
  };
  return (
    <div class="file-part">
      <Text value={filename || 'File without a name'} max={200} class="file-name" />
      {mediaType && <Text value={mediaType} max={100} mono />}
      {raw !== undefined && (
        <>
          <Bytes value={Math.floor((raw.length * 3) / 4)} />
          <Button pressed={isOpen.value} onClick={() => read(() => (isOpen.value = !isOpen.value))}>
            Open
          </Button>
          <Button onClick={() => read(({ kind, bytes }) => download([bytes], safeName(filename, kind === 'text')))}>
            Download
          </Button>
        </>
      )}
      {url !== undefined && <Text value={url} max={300} mono />}
      <Failure error={error.value} about="The file is not base64" />
      {isOpen.value && raw !== undefined && <Opened raw={raw} label={`${visibleLine(filename, 60)}, ${label}`} />}
    </div>
  );
}

/** Parses a text that is JSON: an object or a list. */
const jsonIn = (text: string): unknown =>
  text.length <= maxTree && /^\s*[[{]/.test(text) ? parsedJson(text) : undefined;

function Opened({ raw, label }: { readonly raw: string; readonly label: string }): JSX.Element {
  const file = useMemo(() => madeFile(raw), [raw]);
  const json = useMemo(() => (file.kind === 'text' ? jsonIn(file.text) : undefined), [file]);
  if (file.kind === 'image') return <Image file={file} label={label} />;
  if (file.kind === 'other')
    return <p class="muted">Its bytes are neither text nor an image that can be shown here.</p>;
  if (json !== undefined) return <Json label={`File ${label}`} value={json} depth={3} maxHeight="50vh" />;
  return (
    <div class="long-text file-content" tabIndex={0} role="region" aria-label={`File ${label}`}>
      <Text value={file.text} max={20_000} multiline mono />
    </div>
  );
}

/** An image, which the browser draws from the bytes alone: an image element can neither run nor load anything. */
function Image({ file, label }: { readonly file: MadeFile & { kind: 'image' }; readonly label: string }): JSX.Element {
  const url = useMemo(() => URL.createObjectURL(new Blob([file.bytes], { type: file.type })), [file]);
  const isBroken = useSignal(false);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  if (isBroken.value) return <p class="muted">The browser cannot draw this image.</p>;
  return <img class="file-content" src={url} alt={`File ${label}`} onError={() => (isBroken.value = true)} />;
}

/** Saves a file. Its type is that of unknown bytes, so that browsers do not open it. */
export function download(pieces: readonly BlobPart[], name: string): void {
  const url = URL.createObjectURL(new Blob([...pieces], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
