// A receiver of callouts in Go 1.21 or later, with the standard library alone.
//
//	SECRET_KEY='a secret of mine' go run receiver.go
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

var secret = os.Getenv("SECRET_KEY")
var checksHookSignature = os.Getenv("SIGNATURE") == "x-hook-signature"

// callout is the body of a callout.
type callout struct {
	Action         string
	EntityType     string
	Id             int64
	Fields         map[string]*string
	SequenceNumber int64
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

// isSigned says whether Ed25519 made one of the signatures with the private key of a public key.
func isSigned(publicKey string, given []string, signed []byte) bool {
	key, err := base64.StdEncoding.DecodeString(publicKey)
	if err != nil || len(key) != ed25519.PublicKeySize {
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
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	given := strings.Split(header.Get("webhook-signature"), " ")
	given = given[:min(len(given), 10)]
	// A public key is never the key of an HMAC: anyone could sign with it.
	if encoded, found := strings.CutPrefix(secret, "whpk_"); found {
		return isSigned(encoded, given, append([]byte(id+"."+timestamp+"."), body...))
	}
	expected := "v1," + sign(sha256.New, standardKey(secret), []byte(id+"."+timestamp+"."), body)
	// Two signatures while the secret is being rotated.
	isRight := false
	for _, signature := range given {
		isRight = hmac.Equal([]byte(signature), []byte(expected)) || isRight
	}
	return isRight
}

// seenIDs are the ids of the last callouts. With several processes, keep them in your database, beside what you store.
type seenIDs struct {
	sync.Mutex
	ids   map[string]bool
	order []string
}

// add says whether the id is new.
func (s *seenIDs) add(id string) bool {
	s.Lock()
	defer s.Unlock()
	if s.ids[id] {
		return false
	}
	s.ids[id] = true
	s.order = append(s.order, id)
	if len(s.order) > maxSeen {
		delete(s.ids, s.order[0])
		s.order = s.order[1:]
	}
	return true
}

func (s *seenIDs) forget(id string) {
	s.Lock()
	defer s.Unlock()
	delete(s.ids, id)
}

var seen = seenIDs{ids: map[string]bool{}}

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
	if err := json.Unmarshal(body, &c); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	isTest := c.SequenceNumber == 0
	id := r.Header.Get("webhook-id")
	if isTest || !seen.add(id) {
		return // 200
	}
	if err := handle(c); err != nil {
		log.Print(err)
		seen.forget(id) // Callout sends it again, and then it is to be handled
		w.WriteHeader(http.StatusInternalServerError)
	}
}

func main() {
	if secret == "" {
		log.Fatal("Set SECRET_KEY to the secretKey of the webhook.")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "8091"
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, http.HandlerFunc(receive)))
}
