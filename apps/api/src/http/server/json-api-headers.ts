import type { RequestHandler, Response } from 'express';
import helmet from 'helmet';

/** Those of Helmet's headers that matter for responses that are JSON and are never rendered. */
const protect = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  crossOriginEmbedderPolicy: false,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  referrerPolicy: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xPoweredBy: false,
  xXssProtection: false,
});

/** Sets the same headers on every response. They depend on no request, so Helmet is run for them once. */
export function jsonApiHeaders(): RequestHandler {
  const headers = headersOf(protect);
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

type Protect = typeof protect;

function headersOf(middleware: Protect): [name: string, value: string][] {
  const headers: [name: string, value: string][] = [];
  const response = { setHeader: (name: string, value: string) => void headers.push([name, value]) };
  middleware({} as Parameters<Protect>[0], response as unknown as Response, (error) => {
    if (error !== undefined) throw new Error('Helmet does not return its headers', { cause: error });
  });
  return headers;
}
