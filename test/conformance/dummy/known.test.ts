import { describe, expect, it } from 'vitest';
import { differences, readKnown } from './known.ts';

const result = (passed: boolean) => [{ id: 'send.completed', passed, detail: 'no task' }];

describe('the list of contracts that are not kept', () => {
  const known = readKnown('# A reason\nsend.completed gateway rest');

  it('the list of contracts that are not kept is read with its reasons, and every line has one', () => {
    expect(readKnown().size).toBeGreaterThan(0);
    expect(() => readKnown('send.completed direct')).toThrow('without its reason');
  });

  it('the list of contracts that are not kept has a contract of one row', () => {
    expect(differences('gateway rest', result(false), known)).toEqual([]);
    expect(differences('gateway jsonrpc', result(false), known)).toEqual([
      'gateway jsonrpc send.completed: fails: no task',
    ]);
  });

  it('the list of contracts that are not kept may only shrink', () => {
    expect(differences('gateway rest', result(true), known)).toEqual([
      'gateway rest send.completed: passes: take it off the list',
    ]);
  });
});
