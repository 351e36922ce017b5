// A receiver of callouts in Go 1.21 or later, with the standard library alone.
//
//	SECRET_KEY='whsec_Y2FsbG91dC1leGFtcGxlLXNlY3JldC0zMi1ieXRlcyE=' go run receiver.go
//
// SECRET_KEY may also be the signingPublicKey of the webhook, whpk_...
// It listens on 127.0.0.1, at PORT or 8091. SIGNATURE=x-hook-signature checks that header instead of webhook-signature.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance    = 5 * time.Minute
	maxBodyBytes = 4 << 20
	maxSeen      = 100_000
)

// wholeNumber keeps signs from ParseInt.
var wholeNumber = regexp.MustCompile(`^[0-9]{1,12}$`)

var secret = os.Getenv("SECRET_KEY")
var checksHookSignature = os.Getenv("SIGNATURE") == "x-hook-signature"

// callout is the body of a callout in the format reference.
type callout struct {
	Action         string
	EntityType     string
	Id             int64
	Fields         map[string]*string
	SequenceNumber *int64 // nil: the body is that of no callout
}

// handle is your work. Callout waits 10 s: store the callout or put it into a queue, and return.
func handle(c callout) error {
	var fields bytes.Buffer
	encoder := json.NewEncoder(&fields)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(c.Fields); err != nil {
		return err
	}
	_, err := fmt.Println(c.Action, c.EntityType, c.Id, strings.TrimSpace(fields.String()))
	return err
}

// standardKey decodes what follows whsec_, a key in base64; any other secret is its own key.
func standardKey(secret string) []byte {
	if encoded, found := strings.CutPrefix(secret, "whsec_"); found && encoded != "" {
		if key, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			return key
		}
	}
	return []byte(secret)
}

func sign(algorithm func() hash.Hash, key []byte, parts ...[]byte) string {
	mac := hmac.New(algorithm, key)
	for _, part := range parts {
		mac.Write(part)
	}
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// publicKey decodes a signingPublicKey, whpk_ and base64.
func publicKey(text string) (ed25519.PublicKey, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "whpk_"))
	if err == nil && len(key) != ed25519.PublicKeySize {
		err = fmt.Errorf("it has %d bytes", len(key))
	}
	return key, err
}

// isSigned says whether Ed25519 made one of the signatures with the private key of the public key in SECRET_KEY.
func isSigned(given []string, signed []byte) bool {
	key, err := publicKey(secret)
	if err != nil {
		return false
	}
	for _, each := range given {
		encoded, found := strings.CutPrefix(each, "v1a,")
		signature, err := base64.StdEncoding.DecodeString(encoded)
		if found && err == nil && ed25519.Verify(key, signed, signature) {
			return true
		}
	}
	return false
}

// isGenuine checks the signature of the bytes as they came, before anything parses them.
func isGenuine(header http.Header, body []byte) bool {
	if checksHookSignature {
		expected := "sha1=" + sign(sha1.New, []byte(secret), body)
		return hmac.Equal([]byte(header.Get("X-Hook-Signature")), []byte(expected))
	}
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || !wholeNumber.MatchString(timestamp) || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	given := strings.Split(header.Get("webhook-signature"), " ")
	given = given[:min(len(given), 10)]
	// A public key is never the key of an HMAC: anyone could sign with it.
	if strings.HasPrefix(secret, "whpk_") {
		return isSigned(given, append([]byte(id+"."+timestamp+"."), body...))
	}
	expected := "v1," + sign(sha256.New, standardKey(secret), []byte(id+"."+timestamp+"."), body)
	// Two signatures while the secret is being rotated.
	isRight := false
	for _, signature := range given {
		isRight = hmac.Equal([]byte(signature), []byte(expected)) || isRight
	}
	return isRight
}

// state is what is known of a callout that arrives.
type state int

const (
	isNew state = iota
	isRunning
	isHandled
)

// seenIDs are the ids of the callouts that are being handled, and of the last that were handled. With several processes,
// keep them in your database, beside what you store.
type seenIDs struct {
	sync.Mutex
	running map[string]bool
	handled map[string]bool
	order   []string // of handled, oldest first
}

// begin says what is known of an id. Only what is new may be handled.
func (s *seenIDs) begin(id string) state {
	s.Lock()
	defer s.Unlock()
	if s.handled[id] {
		return isHandled
	}
	if s.running[id] {
		return isRunning
	}
	s.running[id] = true
	return isNew
}

// end forgets a callout that was not handled: Callout sends it again, and then it is new.
func (s *seenIDs) end(id string, wasHandled bool) {
	s.Lock()
	defer s.Unlock()
	delete(s.running, id)
	if !wasHandled {
		return
	}
	s.handled[id] = true
	s.order = append(s.order, id)
	if len(s.order) > maxSeen {
		delete(s.handled, s.order[0])
		s.order = s.order[1:]
	}
}

var seen = seenIDs{running: map[string]bool{}, handled: map[string]bool{}}

// handleSafely makes an error of a panic.
func handleSafely(c callout) (err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("panic: %v\n%s", problem, debug.Stack())
		}
	}()
	return handle(c)
}

func receive(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBodyBytes+1))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if len(body) > maxBodyBytes {
		// With unread bytes the connection is reset, and the sender never sees the answer.
		_, _ = io.CopyN(io.Discard, r.Body, 4*maxBodyBytes)
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	if !isGenuine(r.Header, body) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var c callout
	if err := json.Unmarshal(body, &c); err != nil || c.SequenceNumber == nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if *c.SequenceNumber == 0 {
		return // 200: a test
	}
	id := r.Header.Get("webhook-id")
	if checksHookSignature {
		// It does not sign the webhook-id: there, the same signature is the same callout.
		id = r.Header.Get("X-Hook-Signature")
	}
	switch seen.begin(id) {
	case isHandled:
		return // 200
	case isRunning:
		// Not 200: if handling it fails, Callout has to send it again. No Retry-After: the waits of Callout grow.
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	err = handleSafely(c)
	seen.end(id, err == nil)
	if err != nil {
		log.Print(err)
		w.WriteHeader(http.StatusInternalServerError)
	}
}

func main() {
	if secret == "" {
		log.Fatal("Set SECRET_KEY to the secretKey of the webhook.")
	}
	if strings.HasPrefix(secret, "whpk_") {
		if _, err := publicKey(secret); err != nil {
			log.Fatalf("SECRET_KEY begins with whpk_ but is not a public key (%v): copy the signingPublicKey of the webhook.", err)
		}
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "8091"
	}
	server := http.Server{
		Addr:              "127.0.0.1:" + port,
		Handler:           http.HandlerFunc(receive),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	log.Fatal(server.ListenAndServe())
}
