import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A receiver of callouts in Java 11 or later, with the JDK alone; for public keys in Java 15 or later.
 *
 * <pre>SECRET_KEY='whsec_Y2FsbG91dC1leGFtcGxlLXNlY3JldC0zMi1ieXRlcyE=' java Receiver.java</pre>
 *
 * SECRET_KEY may also be the signingPublicKey of the webhook, whpk_...
 * It listens on 127.0.0.1, at PORT or 8091. SIGNATURE=x-hook-signature checks that header instead of webhook-signature.
 */
public class Receiver {
  private static final String SECRET = System.getenv("SECRET_KEY");
  private static final boolean CHECKS_HOOK_SIGNATURE = "x-hook-signature".equals(System.getenv("SIGNATURE"));
  private static final long TOLERANCE_SECONDS = 300;
  private static final int MAX_BODY_BYTES = 4 * 1024 * 1024;
  private static final int MAX_SEEN = 100_000;

  /**
   * The ids of the callouts that are being handled, and of the last that were handled. With several processes, keep them
   * in your database, beside what you store.
   */
  private static final Set<String> running = new HashSet<>();
  private static final Set<String> handled = new LinkedHashSet<>();

  private enum State { NEW, RUNNING, HANDLED }

  /** Your work. Callout waits 10 s: store the callout or put it into a queue, and return. */
  private static void handle(String callout) {
    System.out.println(callout);
  }

  public static void main(String[] arguments) throws IOException {
    if (SECRET == null || SECRET.isEmpty()) {
      System.err.println("Set SECRET_KEY to the secretKey of the webhook.");
      System.exit(1);
    }
    if (SECRET.startsWith("whpk_") && publicKey() == null) {
      System.err.println(
          "SECRET_KEY begins with whpk_ but is not a public key: copy the signingPublicKey of the webhook.");
      System.exit(1);
    }
    // Seconds until a request must have been read: senders that send nothing would keep the threads.
    System.setProperty("sun.net.httpserver.maxReqTime", "30");
    int port = Integer.parseInt(Optional.ofNullable(System.getenv("PORT")).orElse("8091"));
    HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setExecutor(Executors.newFixedThreadPool(16));
    server.createContext("/", exchange -> {
      try (exchange) {
        exchange.sendResponseHeaders(statusOf(exchange), -1);
      }
    });
    server.start();
  }

  private static int statusOf(HttpExchange exchange) {
    try {
      return receive(exchange);
    } catch (IOException broken) {
      return 400; // the body ended too early, or is not what its headers say
    } catch (RuntimeException failure) {
      failure.printStackTrace();
      return 500;
    }
  }

  /** Handles one request, and says with which status to answer. */
  private static int receive(HttpExchange exchange) throws IOException {
    if (!exchange.getRequestMethod().equals("POST")) return 405;
    InputStream input = exchange.getRequestBody();
    byte[] body = input.readNBytes(MAX_BODY_BYTES + 1);
    if (body.length > MAX_BODY_BYTES) {
      // With unread bytes the connection is reset, and the sender never sees the answer.
      for (int times = 0; times < 4 && input.readNBytes(MAX_BODY_BYTES).length > 0; times++) {}
      return 413;
    }
    if (!isGenuine(exchange, body)) return 401;
    String callout = new String(body, StandardCharsets.UTF_8);
    // A real receiver reads the JSON with its library; a test has the SequenceNumber 0.
    Matcher number = Pattern.compile("\"SequenceNumber\":(\\d+)").matcher(callout);
    if (!number.find()) return 400;
    if (number.group(1).equals("0")) return 200;
    // X-Hook-Signature does not sign the webhook-id: there, the same signature is the same callout.
    String id = header(exchange, CHECKS_HOOK_SIGNATURE ? "X-Hook-Signature" : "webhook-id");
    State state = begin(id);
    // Not 200: if handling it fails, Callout has to send it again. No Retry-After: the waits of Callout grow.
    if (state == State.RUNNING) return 503;
    if (state == State.HANDLED) return 200;
    boolean isHandled = false;
    try {
      handle(callout);
      isHandled = true;
    } catch (Throwable failure) {
      failure.printStackTrace();
    } finally {
      end(id, isHandled);
    }
    return isHandled ? 200 : 500;
  }

  /** The signature is that of the bytes as they came: check it before anything parses them. */
  private static boolean isGenuine(HttpExchange exchange, byte[] body) {
    if (CHECKS_HOOK_SIGNATURE) {
      String expected = "sha1=" + sign("HmacSHA1", SECRET.getBytes(StandardCharsets.UTF_8), body);
      return isEqual(header(exchange, "X-Hook-Signature"), expected);
    }
    String timestamp = header(exchange, "webhook-timestamp");
    if (!timestamp.matches("\\d{1,12}")) return false;
    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) return false;
    byte[] prefix = (header(exchange, "webhook-id") + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8);
    // A public key is never the key of an HMAC: anyone could sign with it.
    if (SECRET.startsWith("whpk_")) {
      return Arrays.stream(header(exchange, "webhook-signature").split(" "))
          .limit(10)
          .anyMatch(given -> given.startsWith("v1a,") && isSigned(given.substring(4), prefix, body));
    }
    String expected = "v1," + sign("HmacSHA256", standardKey(SECRET), prefix, body);
    // Two signatures while the secret is being rotated.
    return Arrays.stream(header(exchange, "webhook-signature").split(" "))
        .limit(10)
        .anyMatch(given -> isEqual(given, expected));
  }

  /** Whether Ed25519 signed it with the private key of the public key in SECRET_KEY. */
  private static boolean isSigned(String signature, byte[]... parts) {
    try {
      Signature verifier = Signature.getInstance("Ed25519");
      verifier.initVerify(publicKey());
      for (byte[] part : parts) verifier.update(part);
      return verifier.verify(Base64.getDecoder().decode(signature));
    } catch (GeneralSecurityException | IllegalArgumentException notSigned) {
      return false;
    }
  }

  /** The public key in SECRET_KEY; null: it is none, or this Java has no Ed25519. */
  private static PublicKey publicKey() {
    try {
      byte[] head = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00}; // RFC 8410
      byte[] raw = Base64.getDecoder().decode(SECRET.substring(5));
      byte[] encoded = Arrays.copyOf(head, head.length + raw.length);
      System.arraycopy(raw, 0, encoded, head.length, raw.length);
      return KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded));
    } catch (GeneralSecurityException | IllegalArgumentException notAKey) {
      return null;
    }
  }

  /** What follows whsec_ is a key in base64; any other secret is its own key. */
  private static byte[] standardKey(String secret) {
    if (secret.startsWith("whsec_") && secret.length() > 6) {
      try {
        return Base64.getDecoder().decode(secret.substring(6));
      } catch (IllegalArgumentException notBase64) {
        // It is text.
      }
    }
    return secret.getBytes(StandardCharsets.UTF_8);
  }

  private static String sign(String algorithm, byte[] key, byte[]... parts) {
    try {
      Mac mac = Mac.getInstance(algorithm);
      mac.init(new SecretKeySpec(key, algorithm));
      for (byte[] part : parts) mac.update(part);
      return Base64.getEncoder().encodeToString(mac.doFinal());
    } catch (GeneralSecurityException failure) {
      throw new IllegalStateException(failure);
    }
  }

  private static boolean isEqual(String given, String expected) {
    return MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), expected.getBytes(StandardCharsets.UTF_8));
  }

  private static String header(HttpExchange exchange, String name) {
    return Optional.ofNullable(exchange.getRequestHeaders().getFirst(name)).orElse("");
  }

  /** What is known of an id. Only what is new may be handled. */
  private static synchronized State begin(String id) {
    if (handled.contains(id)) return State.HANDLED;
    return running.add(id) ? State.NEW : State.RUNNING;
  }

  /** Forgets a callout that was not handled: Callout sends it again, and then it is new. */
  private static synchronized void end(String id, boolean isHandled) {
    running.remove(id);
    if (isHandled) handled.add(id);
    if (handled.size() > MAX_SEEN) handled.remove(handled.iterator().next());
  }
}
