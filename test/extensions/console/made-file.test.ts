import { expect, test } from 'vitest';
import { madeFile, safeName } from '../../../src/extensions/console/tasks/made-file.ts';

const raw = (bytes: string | readonly number[]): string => Buffer.from(bytes as string).toString('base64');

test('a file is what its bytes say, whatever its name and media type are', () => {
  expect(madeFile(raw([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]))).toMatchObject({
    kind: 'image',
    type: 'image/png',
  });
  expect(madeFile(raw('<svg onload="alert(1)"/>'))).toMatchObject({ kind: 'text', text: '<svg onload="alert(1)"/>' });
  expect(madeFile(raw('Grüße'))).toMatchObject({ kind: 'text', text: 'Grüße' });
  expect(madeFile(raw([0xff, 0xfe, 0x41]))).toMatchObject({ kind: 'other' });
  expect(madeFile(raw([0x4d, 0x5a, 0, 1]))).toMatchObject({ kind: 'other' });
  expect(madeFile(Buffer.from([0xfb, 0xff, 0xfe]).toString('base64url'))).toMatchObject({ kind: 'other' });
  expect(() => madeFile('not base64!')).toThrow();
});

test.each([
  ['report.pdf', 'report.pdf'],
  ['Grüße aus Köln.md', 'Grüße aus Köln.md'],
  ['../../etc/passwd', 'passwd.bin'],
  ['C:\\Windows\\run.exe', 'run_exe.bin'],
  ['invoice.pdf.exe', 'invoice_pdf_exe.bin'],
  ['archive.tar.gz', 'archive_tar.gz'],
  ['page.html', 'page_html.bin'],
  ['evil\u202efdp.exe', 'evil_fdp_exe.bin'],
  ['a\u0000b\n.txt', 'a_b.txt'],
  ['.bashrc', 'bashrc.bin'],
  ['con.txt', 'con_.txt'],
  ['', 'file.bin'],
  ['…/', 'file.bin'],
])('a file with the name %j is saved under a safe one', (name, saved) => {
  expect(safeName(name, false)).toBe(saved);
});

test('a text with another ending is saved as one, and a name of a megabyte is cut', () => {
  expect(safeName('x'.repeat(1_000_000), true)).toBe(`${'x'.repeat(80)}.txt`);
  expect(safeName('run.sh', true)).toBe('run_sh.txt');
  expect(safeName('notes', true)).toBe('notes.txt');
});
