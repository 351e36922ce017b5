import type { Caller } from '../../http/auth/caller.ts';
import type { RestSentence } from '../entities/soap-terms.ts';
import type { XmlElement } from '../xml/xml-element.ts';
import type { XmlNode } from '../xml/write-xml.ts';
import type { RestCalls } from '../rest-calls.ts';

/** A call, as an operation sees the parts. */
export interface SoapCall {
  readonly caller: Caller;
  readonly rest: RestCalls;
  /** The element that calls the operation. */
  readonly element: XmlElement;
  /** The sentences of the REST API for a failure. Unexpected errors are logged. */
  readonly sentencesOf: (error: unknown) => readonly RestSentence[];
}

/** The work of an operation. */
export interface Operation {
  /** Whether the operation changes nothing. */
  readonly isRead: boolean;
  /** Resolves to the content of the result element. */
  readonly run: (call: SoapCall) => Promise<readonly (XmlNode | string)[]>;
}
