docker rmi shop/base:1.1 shop/base:1.2 registry.example.com/shop/web:2026.3
status 0
