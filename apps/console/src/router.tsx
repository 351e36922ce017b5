import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { basePath } from './api/session.ts';
import { lazyPart } from './parts/lazy-part.tsx';
import { routes } from './routes.ts';
import { ErrorPage } from './shell/error-page.tsx';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { Shell } from './shell/shell.tsx';

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: () => <NotFoundPage /> });

export const router = createRouter({
  routeTree: rootRoute.addChildren(
    routes.map(({ path, load }) =>
      createRoute({
        getParentRoute: () => rootRoute,
        path,
        component: lazyPart(load),
        validateSearch: (search: Record<string, unknown>) => search,
      }),
    ),
  ),
  basepath: basePath,
  defaultErrorComponent: ErrorPage,
  defaultPreload: 'intent',
  scrollRestoration: true,
});
