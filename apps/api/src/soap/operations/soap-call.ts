import type { Caller } from '../../http/auth/caller.ts';
import type { XmlElement } from '../xml/xml-element.ts';
import type { XmlNode } from '../xml/write-xml.ts';
import type { RestCalls } from '../rest-calls.ts';

/** What an operation gets to see of a call. */
export interface SoapCall {
  readonly caller: Caller;
  readonly rest: RestCalls;
  /** The element that calls the operation. */
  readonly element: XmlElement;
  /** The sentences of the REST API for a failure. What is unexpected is logged. */
  readonly sentencesOf: (error: unknown) => readonly string[];
}

/** What an operation does. */
export interface Operation {
  /** Whether it changes nothing. */
  readonly isRead: boolean;
  /** Resolves to what is in the element of its result. */
  readonly run: (call: SoapCall) => Promise<readonly (XmlNode | string)[]>;
}
