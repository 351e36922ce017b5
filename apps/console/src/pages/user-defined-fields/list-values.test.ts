import { expect, it } from '@jest/globals';
import { textOfValues, valuesOfText } from './list-values.ts';

it('reads a number and a label from each line, and writes them back', () => {
  const values = [
    { value: '1', label: 'Gold' },
    { value: '-2', label: '24 hours' },
  ];
  expect(valuesOfText(' 1 Gold \n\n-2 = 24 hours')).toEqual(values);
  expect(valuesOfText(textOfValues(values))).toEqual(values);
  expect(valuesOfText('Silver\n3')).toEqual([
    { value: '', label: 'Silver' },
    { value: '3', label: '' },
  ]);
});
