import type { FaultCode } from './soap-version.ts';

/** A message that is no call of this API. */
export class SoapFault extends Error {
  override readonly name = 'SoapFault';
  readonly code: FaultCode;

  constructor(code: FaultCode, sentence: string) {
    super(sentence);
    this.code = code;
  }
}
