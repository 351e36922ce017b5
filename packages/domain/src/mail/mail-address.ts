import { Problem } from '../problem.ts';

/** Limits of RFC 5321, 4.5.3.1. */
const maxLocalPart = 64;
const maxDomain = 253;

const localPartPattern = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/u;
const labelPattern = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/u;

/**
 * Whether `text` is exactly a mail address in plain form, local part and host name in ASCII. Lists, display names,
 * comments, quoted local parts, address literals, white space and control characters are refused: text that a mail
 * library might read as more than one recipient, or as a header, never reaches the library.
 */
export function isMailAddress(text: string): boolean {
  const at = text.indexOf('@');
  const localPart = text.slice(0, at);
  const domain = text.slice(at + 1);
  if (at < 1 || localPart.length > maxLocalPart || domain.length > maxDomain) return false;
  const labels = domain.split('.');
  // An all-numeric last label is an IP address or a typing error.
  if (/^\d+$/u.test(labels.at(-1) ?? '')) return false;
  return localPartPattern.test(localPart) && labels.every((label) => labelPattern.test(label));
}

/**
 * Whether mail may be sent to an address: the domain is among `domains`, or below a `*.` entry. Without domains, all
 * addresses are allowed. Case is ignored.
 */
export function isAllowedMailDomain(address: string, domains: readonly string[]): boolean {
  if (domains.length === 0) return true;
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  return domains.some((one) => (one.startsWith('*.') ? domain.endsWith(one.slice(1)) : domain === one));
}

/** A Problem `invalid` for an address in a domain that the operator does not allow. */
export function mailDomainRefused(field: string, address: string): Problem {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return Problem.invalid(`${field}: this installation sends no mail to addresses at ${domain} (MAIL_DOMAINS)`, field);
}
